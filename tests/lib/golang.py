"""Go: the release that scripts/pins names, here called "local", and others that it fetches
itself. scripts/packages has fetched all of them before."""
import functools

from harness import *
from pins import PINS

# In the order of their age.
RELEASES = sorted((PINS["GO_OLD"] + " " + PINS["GO_LONG"] + " " + PINS["GO"]).split(),
                  key=lambda release: [int(part) for part in release.split(".")])
RELEASES = ["local" if release == PINS["GO"] else release for release in RELEASES]
ORACLES = os.path.join(ROOT, "tests", "oracle")


def since(release):
    return RELEASES[RELEASES.index(release):]


def minor(release):
    return int((PINS["GO"] if release == "local" else release).split(".")[1])


def go(*arguments, cwd, release="local", cgo=False, timeout=600, **settings):
    """Its registry settings are the user's; how it builds is not."""
    env = {**os.environ, "GOFLAGS": "-mod=readonly", "GOEXPERIMENT": "",
           "CGO_ENABLED": str(int(cgo)),
           "GOTOOLCHAIN": "local" if release == "local" else "go" + release,
           # 1.19 does not always find its own packages by its index of modules.
           "GODEBUG": "goindex=0" if minor(release) == 19 else "", **settings}
    if cgo:
        need("gcc")
    return subprocess.run([need("go"), *arguments], cwd=cwd, env=env, capture_output=True,
                          text=True, timeout=timeout, stdin=subprocess.DEVNULL)


def say(*arguments, **options):
    run = go(*arguments, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def newest(folder):
    return max(os.path.getmtime(os.path.join(at, name)) for at, _, names in os.walk(folder)
               for name in names)


@functools.lru_cache(None)
def build(name, source, *arguments, package=".", release="local", cgo=False, **settings):
    """The path of that program among the fixtures; another name for each way to build it.
    Suites that run side by side may build the same: it gets its name when it is whole."""
    path = os.path.join(FIXTURES, name)
    if os.path.exists(path) and os.path.getmtime(path) > newest(source):
        return path
    os.makedirs(FIXTURES, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FIXTURES) as folder:
        new = os.path.join(folder, "new")
        run = go("build", *arguments, "-o", new, package, cwd=source, release=release, cgo=cgo,
                 **settings)
        if run.returncode and cgo and release != "local":
            # Old cgo does not understand what a new C compiler writes.
            raise Skip(f"Go {release} cannot build it here: {run.stderr.strip()[-80:]}")
        assert run.returncode == 0, run.stderr
        os.rename(new, path)
    return path


def oracle(name):
    """A program of Go's own or others' libraries that judges ours: tests/oracle/NAME."""
    return build("oracle-" + name, os.path.join(ORACLES, name))


def module_folder(name, module):
    return say("list", "-m", "-f", "{{.Dir}}", module, cwd=os.path.join(ORACLES, name))


__all__ = [name for name in dir() if not name.startswith("_")]
