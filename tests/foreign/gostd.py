"""Tests of Go's standard library, from the release that GOTOOLCHAIN names."""
import os
import re

from common import Unit, need, sh

RELEASE = "go1.25.5"
NOTE = "-test.short"
PACKAGES = "os/signal os/exec os syscall time sync net internal/poll net/http runtime".split()


def go(*arguments, cwd=None):
    return sh("go", *arguments, cwd=cwd, GOTOOLCHAIN=RELEASE, GOFLAGS="")


def prepare(folder):
    need("go", "golang-go")
    root = go("env", "GOROOT").splitlines()[-1]  # after the messages of a download
    for package in PACKAGES:
        binary = f"{folder}/{package.replace('/', '.')}.test"
        if not os.path.exists(binary):
            os.makedirs(folder, exist_ok=True)
            go("test", "-c", "-o", binary, ".", cwd=f"{root}/src/{package}")
    return RELEASE


def results(text, _):
    words = {"PASS": "ok", "SKIP": "skip", "FAIL": "failed"}
    return {name: words[word] for word, name in re.findall(r"--- (PASS|SKIP|FAIL): (\S+)", text)}


def units(folder):
    root = go("env", "GOROOT").splitlines()[-1]  # after the messages of a download
    for package in PACKAGES:
        yield Unit(package, [f"{folder}/{package.replace('/', '.')}.test", "-test.short", "-test.v",
                             "-test.timeout=500s"], results, folder=f"{root}/src/{package}", seconds=180,
                   env={"GOROOT": root, "GOTOOLCHAIN": "local", "PATH": f"{root}/bin:{os.environ['PATH']}"})
