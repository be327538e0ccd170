"""10,000 batches in a folder: what sampler rounds takes with its index, against the plain walk, which
opens each batch. For tools/bench/run."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from rows import *

BATCHES = 10000


def make(folder):
    """One real batch of cpu and metrics, again and again: a minute each, a week."""
    with tempfile.TemporaryDirectory() as one:
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            subprocess.run([SAMPLER, "-q", "-p", str(busy.pid), "-t", "cpu,metrics", "-d", "1s",
                            "-n", "1", "-o", one], check=True)
        finally:
            busy.kill()
            busy.wait()
        source = os.path.join(one, os.listdir(one)[0])
        event = json.load(open(os.path.join(source, "event.json")))
        first = int(time.time()) - 60 * BATCHES
        for i in range(BATCHES):
            name = time.strftime(f"{i + 1:06}-%Y%m%dT%H%M%SZ", time.gmtime(first + 60 * i))
            to = shutil.copytree(source, os.path.join(folder, name))
            event.update(sequence=i + 1, duration_ns=60 * 10**9)
            with open(os.path.join(to, "event.json"), "w") as out:
                json.dump(event, out)


def batches(folder, repeats):
    section(f"{BATCHES:,} batches of cpu and metrics (a process each, median of {repeats})")
    path = os.path.join(folder, "batches")
    os.mkdir(path)
    make(path)
    index = os.path.join(path, ".catalog")
    walks, indexed = [], []
    for _ in range(repeats):
        if os.path.exists(index):
            os.unlink(index)
        walks.append(usage_in(folder, SAMPLER, "rounds", path))
        indexed.append(usage_in(folder, SAMPLER, "rounds", path))
    walk, known = ([statistics.median(x) for x in zip(*runs)] for runs in (walks, indexed))
    faster("sampler rounds, CPU", known[0], "each batch opened", walk[0], "s", 4, 1)
    row("sampler rounds, until it ends", known[3], "each batch opened", walk[3], "s",
        walk[3] / known[3], "<= 1 s", known[3] <= 1)
    row("its memory", known[1] / 2**20, "each batch opened", walk[1] / 2**20, "MiB")
    hour = [usage_in(folder, SAMPLER, "report", path, "--last", "1h") for _ in range(repeats)]
    row("sampler report --last 1h, CPU", statistics.median(h[0] for h in hour), "", None, "s")
    row("the index", os.path.getsize(index) / 2**20, "", None, "MiB")
