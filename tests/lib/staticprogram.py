"""build/sampler-static, made when it is first needed. Suites that run side by side may all need it."""
import fcntl
import functools

from harness import *

STATIC = os.path.join(BUILD, "static")
FOLDER = os.path.relpath(BUILD, ROOT)  # as make has it


# The short form spares the compiler half of its time, as `make check-build` does.
OPT = amount(["OPT=-Og -g1 -DXXH_NO_INLINE_HINTS=1"], [])


def make(*arguments, folder=ROOT, build=FOLDER, cache=CACHE):
    """Runs make in a tree and returns its output. libcurl is in the user's cache."""
    run = subprocess.run(["make", "-C", folder, "-j2", f"BUILD={build}", *OPT, *arguments], text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=1200, env={**os.environ, "MAKEFLAGS": "", "XDG_CACHE_HOME": cache})
    assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


@functools.lru_cache(None)
def made(*targets):
    """Makes these targets, none: the program. Returns the program's path."""
    if not shutil.which("apt-get"):
        raise Skip("make static takes Debian's archives")
    os.makedirs(BUILD, exist_ok=True)
    with open(os.path.join(BUILD, "static.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(*(targets or ["static"]))
    return os.path.join(BUILD, "sampler-static")


__all__ = [name for name in dir() if not name.startswith("_")]
