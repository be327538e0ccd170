"""Runs sampler in rounds, and reads the batches that it writes."""
import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from harness import SAMPLER, status_field, wait_for
from pprof import Profile

NAME = re.compile(r"(\d{6,})-(\d{8}T\d{6}Z)$")


class Batch:
    """A complete batch: it holds what its event.json lists, and nothing else."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.event = json.load(open(self.file("event.json")))
        self.entries = {e["file"]: e for e in self.event["profiles"]}
        self.skipped = {e["type"]: e["why"] for e in self.event["skipped"]}
        assert self.event["sequence"] == int(NAME.match(self.name)[1]), self.name
        there = {n: os.path.getsize(self.file(n)) for n in os.listdir(path)}
        del there["event.json"]
        assert there == {n: e["bytes"] for n, e in self.entries.items()}, (self.name, there)

    def file(self, name):
        return os.path.join(self.path, name)

    def profile(self, name):
        return Profile(self.file(name), holes=name.startswith("delta-"))

    def json(self, name):
        return json.load(open(self.file(name)))


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}


@contextlib.contextmanager
def folder():
    """A folder for batches, in memory if possible, so that sampler does not wait for a disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sampler-rounds-", dir=memory,
                                     ignore_cleanup_errors=True) as path:
        yield os.path.join(path, "batches")


def batches_in(path, after=0):
    """All batches after that number that can be seen now, in their order; each must be complete."""
    names = os.listdir(path) if os.path.isdir(path) else []
    return [Batch(os.path.join(path, n)) for n in sorted(names)
            if not n.startswith(".") and int(NAME.match(n)[1]) > after]


LOST = 6  # the status after a round was lost


class Rounds:
    """A running sampler. Its batches go to `path`; `lines` is its standard error so far."""

    def __init__(self, path, *words, env=None):
        self.path, self.lines = path, []
        self.process = subprocess.Popen([SAMPLER, *map(str, words), "-o", path], text=True,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, env={**clean_environment(), **(env or {})})
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def said(self, word, times=1):
        """Waits until `times` lines contain the word."""
        found = wait_for(lambda: sum(word in line for line in list(self.lines)) >= times, 60)
        assert found, (word, self.lines)

    def batches(self):
        return batches_in(self.path)

    def samples(self):
        """Waits until a round is under way. From outside only its additional threads show that."""
        task = f"/proc/{self.process.pid}/task"
        assert wait_for(lambda: len(os.listdir(task)) > 1, 30), self.lines

    def waits(self):
        """Waits until a round without a recording is under way: sampler sleeps until its end."""
        def sleeps():
            return os.path.isdir(self.path) and status_field(self.process.pid, "State")[0] == "S"
        assert wait_for(sleeps, 60), self.lines

    def looked(self):
        """Waits until the process that reads the target at the beginning of a round has ended."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"

        def ended():
            return any(status_field(pid, "State")[0] == "Z" for pid in open(children).read().split())
        assert wait_for(ended, 60), self.lines

    def ends(self, status=0):
        code = self.process.wait(120)  # the longest rounds of a test are one minute together
        self.reader.join()
        assert code == status, (code, self.lines)
        hidden = [n for n in os.listdir(self.path) if n.startswith(".")]
        assert not hidden, hidden
        return self.batches()

    def stop(self, sig=signal.SIGINT, status=0):
        self.process.send_signal(sig)
        return self.ends(status)


# What an event.json says of files that were not ready in time, and of a delta after which a
# snapshot came that is older.
GIVEN_UP = "the rounds after it were done before"
LATE = "the snapshot of the start came after the round's end"
RAN_BACKWARDS = "counters ran backwards: whole"


def whole_again(batches, pid):
    """The first batch of a process has whole deltas, the others have not."""
    own = [b for b in batches if b.event["pid"] == pid and "delta-heap.pprof" in b.entries]
    notes = [b.entries["delta-heap.pprof"].get("note") for b in own]
    assert notes and notes[0] == "the first: whole", notes
    # Rounds overlap on a busy machine, and then one's snapshot may be older than the last one's.
    for old, new, note in zip(own, own[1:], notes[1:]):
        backwards = new.profile("heap.pprof").total(1) < old.profile("heap.pprof").total(1)
        assert not note or backwards and note == RAN_BACKWARDS, notes
    return own


def rounds(path, *words, status=0):
    """The batches of a sampler that ends by itself."""
    with Rounds(path, *words) as r:
        return r.ends(status)
