"""The CPythons of this machine, for tests that run each of them: the system's, those in PATH, and
pyenv's."""
import glob
import os
import re
import shutil
import subprocess

OLDEST, NEWEST = (3, 6), (3, 15)
PYENV = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")


def candidates():
    names = ["python3"] + [f"python3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    folders = ["/usr/bin", "/usr/local/bin"] + os.environ["PATH"].split(":")
    for folder in folders:
        if "shims" not in folder:  # pyenv's scripts
            yield from (shutil.which(name, path=folder) for name in names)
    yield from sorted(glob.glob(f"{PYENV}/versions/3.*/bin/python3"))


def version_of(path):
    done = subprocess.run([path, "-c", "import platform; print(platform.python_implementation(), "
                           "platform.python_version())"], capture_output=True, text=True)
    found = re.fullmatch(r"CPython (\d+\.\d+\.\d+)\S*\n", done.stdout)
    return found and found[1]


def release_of(version):
    return tuple(map(int, version.split(".")[:2]))


def pythons():
    """{version: path}, the oldest first; one of each version."""
    found = {}
    for path in filter(None, candidates()):
        version = version_of(os.path.realpath(path))
        if version and OLDEST <= release_of(version) <= NEWEST:
            found.setdefault(version, path)
    assert found, "no CPython here: tools/packages test installs one"
    return dict(sorted(found.items(), key=lambda item: tuple(map(int, item[0].split(".")))))
