"""libevent's regress, with each of the Linux backends."""
import glob

from common import Unit, lines, once, sh, source, version

NOTE = "by epoll, poll and select"


def make(folder):
    top = source(folder, "libevent")
    sh("./configure", "--disable-shared", "--disable-openssl", "--disable-samples", cwd=top)
    # Debian has changed Makefile.am, but not the files generated from it: do not regenerate them.
    sh("make", "-j2", "AUTOMAKE=:", "ACLOCAL=:", "AUTOCONF=:", "AUTOHEADER=:", "all", cwd=top)


def prepare(folder):
    once(folder, lambda _: make(folder))
    return version(folder)


def units(folder):
    top = glob.glob(f"{folder}/libevent-*/")[0]
    results = lines(r"^(\S+): (?:\[forking\] )?(?:[^[]*\n)?OK", r"^(\S+): (?:\[forking\] )?SKIPPED",
                    r"\[(\S+) FAILED\]")
    for name, others in (("epoll", "POLL SELECT"), ("poll", "EPOLL SELECT"), ("select", "EPOLL POLL")):
        yield Unit(name, ["test/regress"], results, folder=top, seconds=300,
                   env={f"EVENT_NO{other}": "1" for other in others.split()})
