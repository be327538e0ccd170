"""redis' runtest from Debian's source, with a redis-server built from it."""
import glob
import re

from common import Unit, need, once, sh, source, version

NOTE = "these units: "
UNITS = """unit/auth unit/protocol unit/keyspace unit/expire unit/other unit/multi unit/pubsub unit/querybuf
    unit/scripting unit/info unit/introspection unit/introspection-2 unit/wait unit/shutdown unit/aofrw
    unit/type/list unit/type/stream unit/tracking unit/pause unit/latency-monitor
    integration/aof integration/rdb integration/replication integration/block-repl integration/shutdown
    integration/logging integration/redis-cli integration/redis-benchmark""".split()
NOTE += " ".join(UNITS)


def make(folder):
    top = source(folder, "redis")
    sh("make", "-j2", "MALLOC=libc", "USE_SYSTEMD=no", "CFLAGS=-g", cwd=f"{top}/src")


def prepare(folder):
    need("tclsh", "tcl")
    once(folder, lambda _: make(folder))
    return version(folder)


def results(text, _):
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    words = {"ok": "ok", "err": "failed", "exception": "failed", "skip": "skip", "ignore": "skip"}
    found = re.findall(r"(?m)^\[(ok|err|exception|skip|ignore)\]: (.*?)(?: \(\d+ ms\)| in tests/.*)?$", plain)
    return {name: words[word] for word, name in found}


def units(folder):
    top = glob.glob(f"{folder}/redis-*/")[0]
    for name in UNITS:
        yield Unit(name, ["./runtest", "--clients", "2", "--single", name], results, folder=top, seconds=240)
