"""The PHPs of this machine, those of other releases of Debian and those of npm's @libphp, and how each
can be set up, for tests that run all of them."""
import functools
import glob
import os
import re
import shutil
import subprocess

from harness import LONG
from interpreters import PINNED, Interpreter, is_debian, pinned
from pins import PINS, TOOLS


class Packed(Interpreter):
    """One of npm's: for x86-64, with the libraries of the distribution that it was built for. What it
    takes of the system's, Debian's own PHP needs, too."""

    def __init__(self, release):
        folder = os.path.join(TOOLS, "php-" + release)
        super().__init__(os.path.join(folder, "php", "php"))
        assert os.path.exists(self.path), f"no PHP {release} of npm's here: tools/packages test fetches it"
        self.root = folder
        libraries = [folder, *glob.glob(os.path.join(TOOLS, "php-8.1.*"))]
        self.command = ["/lib64/ld-linux-x86-64.so.2", "--library-path",
                        ":".join(f"{folder}/lib" for folder in libraries), self.path]


def candidates():
    for folder in os.environ["PATH"].split(":"):
        path = shutil.which("php", path=folder)
        if path:
            yield Interpreter(os.path.realpath(path))
    yield from map(Interpreter, sorted(glob.glob("/usr/bin/php[0-9]*")))
    if is_debian():
        yield from (pinned(name) for name in PINNED if name.startswith("php"))
    if is_debian() and os.uname().machine == "x86_64":
        yield from (Packed(each.split("=")[0]) for each in PINS["PHPS"].split())


@functools.cache
def phps():
    """{version: Interpreter}"""
    found = {}
    for php in candidates():
        done = subprocess.run([*php.command, "-n", "-v"], capture_output=True, text=True)
        version = re.match(r"PHP (\d+\.\d+\.\d+)\S* \(cli\)", done.stdout)
        assert version or not isinstance(php, Packed), (php.path, done.stderr)
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
    folders = "usr/lib/php/*", "php/modules"
    return [file for folder in folders for file in glob.glob(f"{php.root}/{folder}/{name}.so")] \
        if php.root else [name]


def settings(php):
    """{name: options}; in the short form of the machine's all, of another one, which is in a folder of
    its own, the one that has most: the JIT, or opcache."""
    json = [f"extension={file}" for file in modules(php, "json") if php.root]  # built in from 8.0 on
    plain = "-n", *(word for line in json for word in ("-d", line))
    ways = {"plain": plain}
    opcaches = [(*plain, "-d", "zend_extension=" + module) for module in modules(php, "opcache")]
    for load in plain, *opcaches:
        opcache, jit = has(php, *load, *JIT, "opcache.jit=tracing")
        if opcache:
            ways["opcache"] = *load, *OPCACHE
        if jit:
            ways["tracing_jit"] = *load, *JIT, "opcache.jit=tracing"
            ways["function_jit"] = *load, *JIT, "opcache.jit=function"
    most = "tracing_jit" if "tracing_jit" in ways else "opcache"
    return {name: way for name, way in ways.items() if LONG or not php.root or name == most}
