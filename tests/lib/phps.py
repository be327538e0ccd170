"""The PHPs of this machine, and how each can be set up, for tests that run all of them."""
import glob
import os
import re
import shutil
import subprocess


def candidates():
    yield from (shutil.which("php", path=folder) for folder in os.environ["PATH"].split(":"))
    yield from sorted(glob.glob("/usr/bin/php[0-9]*"))


def phps():
    """{version: path}"""
    found = {}
    for path in filter(None, candidates()):
        done = subprocess.run([path, "-n", "-v"], capture_output=True, text=True)
        version = re.match(r"PHP (\d+\.\d+\.\d+)\S* \(cli\)", done.stdout)
        if version:
            found.setdefault(version[1], os.path.realpath(path))
    assert found, "no PHP here: tools/packages test installs one"
    return found


OPCACHE = "-d", "opcache.enable_cli=1", "-d", "opcache.enable=1"
JIT = *OPCACHE, "-d", "opcache.jit_buffer_size=32M", "-d"


def has_opcache(path, *settings):
    done = subprocess.run([path, *settings, "-r", "echo (int) function_exists('opcache_get_status');"],
                          capture_output=True, text=True)
    return done.stdout.endswith("1")


def settings(path):
    """{name: options}"""
    ways = {"plain": ("-n",)}
    for load in ("-n",), ("-n", "-d", "zend_extension=opcache"):
        if has_opcache(path, *load, *OPCACHE):
            ways["opcache"] = *load, *OPCACHE
            ways["tracing_jit"] = *load, *JIT, "opcache.jit=tracing"
            ways["function_jit"] = *load, *JIT, "opcache.jit=function"
    return ways
