"""Interpreters of other releases of Debian, as tools/interpreters unpacks them, and this machine's."""
import functools
import glob

from harness import *
from pins import PINS

# The name of each and the release of Debian that has it.
PINNED = {name: suite for suite, names in (each.split(":") for each in PINS["INTERPRETERS"].split())
          for name in names.split(",")}
PYENV = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")


def is_debian():
    with open("/etc/os-release") as file:
        return re.search(r"(?m)^ID=debian$", file.read()) is not None


class Interpreter:
    """`command` and `env` start it; `root`: the folder of its release, None: it is the machine's."""

    def __init__(self, path, root=None):
        self.path, self.root = path, root
        self.command, self.env = [path], dict(os.environ)
        if root:
            loader, = glob.glob(os.path.join(root, "lib", "*", "ld-linux-*.so.*"))
            self.command = [loader, "--library-path", os.path.dirname(loader), path]
            folder = os.path.basename(path).replace("ruby", "ruby/") + ".*"
            rubies = glob.glob(os.path.join(root, "usr", "lib", "**", folder), recursive=True)
            self.env.update(PYTHONHOME=os.path.join(root, "usr"), RUBYLIB=":".join(sorted(rubies)),
                            LC_ALL="C.UTF-8")

    def run(self, *arguments, **options):
        done = subprocess.run([*self.command, *map(str, arguments)], env=self.env, capture_output=True,
                              text=True, timeout=300, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def python_version(self):
        """(3, 11, 2)"""
        return tuple(map(int, self.run("-c", "import sys; print(*sys.version_info[:3])").split()))


def pinned(name):
    root = os.path.join(TOOLS, PINNED[name])
    path = os.path.join(root, "usr", "bin", name)
    if not os.path.exists(path):
        if not is_debian():
            raise Skip(f"{name} is Debian's, and this system is another one")
        raise AssertionError(f"no {name} of Debian's {PINNED[name]} here: tools/packages test fetches it")
    return Interpreter(path, root)


def of_pyenv():
    """Those of 3.6 and later, which the long form runs, too."""
    found = glob.glob(f"{PYENV}/versions/3.*/bin/python3")
    return [path for path in sorted(found) if int(path.split("/versions/3.")[1].split(".")[0]) >= 6]


def pythons():
    """Each CPython: its name, and what returns its Interpreter or raises."""
    yield "the_machine_s_python", lambda: Interpreter(need("/usr/bin/python3"))
    for name in PINNED:
        if name.startswith("python"):
            yield f"{name}_of_{PINNED[name]}", functools.partial(pinned, name)
    for path in of_pyenv() if LONG else []:
        yield "python" + path.split("/")[-3] + "_of_pyenv", functools.partial(Interpreter, path)


def some_pythons():
    """In the short form the machine's, the oldest and the newest of them."""
    every = list(pythons())
    return amount([every[0], every[1], every[-1]], every)


def rubies():
    """Each CRuby, in the same way."""
    yield "the_machine_s_ruby", lambda: Interpreter(need("ruby"))
    for name in PINNED:
        if name.startswith("ruby"):
            yield f"{name}_of_{PINNED[name]}", functools.partial(pinned, name)


__all__ = [name for name in dir() if not name.startswith("_")]
