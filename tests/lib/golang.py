"""Runs Go: the release of tools/pins, here called "local", and others by GOTOOLCHAIN.
tools/packages has fetched all of them before."""
import functools
import re
import struct

from harness import *
from pins import PINS

# From the oldest to the newest.
RELEASES = sorted((PINS["GO_OLD"] + " " + PINS["GO_LONG"] + " " + PINS["GO"]).split(),
                  key=lambda release: [int(part) for part in release.split(".")])
RELEASES = ["local" if release == PINS["GO"] else release for release in RELEASES]
ORACLES = os.path.join(ROOT, "tests", "oracle")


def since(release):
    return RELEASES[RELEASES.index(release):]


def cases(short, releases, ways):
    """[(release, way to build)]. In the long form the newest release in each way, and each other one in
    two: what a release changes and what a linker's flags change are not the same places."""
    if not LONG:
        return short
    ways = list(ways)
    two = [(release, ways[(2 * i + k) % len(ways)]) for i, release in enumerate(releases[:-1]) for k in (0, 1)]
    return two + [(releases[-1], way) for way in ways]


def for_each(cases, what):
    """Calls what(release, way). It is skipped if each of them is."""
    skipped = []
    for release, way in cases:
        try:
            what(release, way)
        except Skip as why:
            skipped.append(str(why))
            continue
        except AssertionError as problem:
            raise AssertionError(f"{release} {way}: {problem}") from problem
        if LONG:
            print(f"# {release} {way}: equal", flush=True)
    if len(skipped) == len(cases):
        raise Skip(skipped[0])


def minor(release):
    return int((PINS["GO"] if release == "local" else release).split(".")[1])


def go(*arguments, cwd, release="local", cgo=False, timeout=600, **settings):
    """Runs go with the user's settings for registries, and with our own for builds."""
    env = {**os.environ, "GOFLAGS": "-mod=readonly", "GOEXPERIMENT": "",
           "CGO_ENABLED": str(int(cgo)),
           "GOTOOLCHAIN": "local" if release == "local" else "go" + release,
           # Go 1.19 does not always find its own packages by its index of modules.
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
    """Builds a program, unless it is newer than its source; its path among the fixtures. Each way
    to build it needs a `name` of its own. Suites that run side by side may build the same program:
    it gets its name when it is complete."""
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
    """Builds tests/oracle/NAME: a program by which ours is judged, with libraries of Go or of
    other projects."""
    return build("oracle-" + name, os.path.join(ORACLES, name))


def module_folder(name, module):
    return say("list", "-m", "-f", "{{.Dir}}", module, cwd=os.path.join(ORACLES, name))


# What google/pprof reads of other programs than Go's: gperftools', tcmalloc's, jemalloc's, Java's.
OTHERS = re.compile(rb"\s*--- (heapz|contentionz|threadz) |heap profile:(?!.*\] @ heap/)|heap_v2/")
SECTIONS = re.compile(rb"--- Thread [0-9A-Fa-f]+ \(name: |MAPPED_LIBRARIES:|--- Memory map: ---")


def is_of_google_alone(data):
    """Is it a legacy profile that sampler does not read? CPU profiles are words: 0, 3, 0 or (Java's) 1."""
    words = [struct.unpack_from(form, data) for form in ("<3I", ">3I", "<3Q", ">3Q")
             if len(data) >= struct.calcsize(form)]
    return bool(OTHERS.match(data) or SECTIONS.search(data) or (0, 3, 0) in words or (0, 3, 1) in words)


__all__ = [name for name in dir() if not name.startswith("_")]
