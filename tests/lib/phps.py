"""The PHPs of this machine and those of other releases of Debian, and how each can be set up, for tests
that run all of them."""
import functools
import glob
import os
import re
import shutil
import subprocess

from interpreters import PINNED, Interpreter, is_debian, pinned


def candidates():
    for folder in os.environ["PATH"].split(":"):
        path = shutil.which("php", path=folder)
        if path:
            yield Interpreter(os.path.realpath(path))
    yield from map(Interpreter, sorted(glob.glob("/usr/bin/php[0-9]*")))
    yield from (pinned(name) for name in PINNED if name.startswith("php") and is_debian())


@functools.cache
def phps():
    """{version: Interpreter}"""
    found = {}
    for php in candidates():
        done = subprocess.run([*php.command, "-n", "-v"], capture_output=True, text=True)
        version = re.match(r"PHP (\d+\.\d+\.\d+)\S* \(cli\)", done.stdout)
        if version:
            found.setdefault(version[1], php)
    assert found, "no PHP here: tools/packages test installs one"
    return found


OPCACHE = "-d", "opcache.enable_cli=1", "-d", "opcache.enable=1"
JIT = *OPCACHE, "-d", "opcache.jit_buffer_size=32M", "-d"


def has(php, *settings):
    """Does it have an opcache with these, and a JIT in it?"""
    code = "$s = opcache_get_status(false); echo (int) isset($s['opcache_enabled']), (int) isset($s['jit']);"
    done = subprocess.run([*php.command, *settings, "-r", code], capture_output=True, text=True)
    found = re.search(r"([01])([01])$", done.stdout)
    return [digit == "1" for digit in found.groups()] if found else [False, False]


def modules(php, name):
    """The files of a module of that name: those of the machine have the name only."""
    return glob.glob(f"{php.root}/usr/lib/php/*/{name}.so") if php.root else [name]


def settings(php):
    """{name: options}"""
    json = [f"extension={file}" for file in modules(php, "json") if php.root]  # built in from 8.0 on
    plain = "-n", *(word for line in json for word in ("-d", line))
    ways = {"plain": plain}
    for load in plain, (*plain, "-d", "zend_extension=" + modules(php, "opcache")[0]):
        opcache, jit = has(php, *load, *JIT, "opcache.jit=tracing")
        if opcache:
            ways["opcache"] = *load, *OPCACHE
        if jit:
            ways["tracing_jit"] = *load, *JIT, "opcache.jit=tracing"
            ways["function_jit"] = *load, *JIT, "opcache.jit=function"
    return ways
