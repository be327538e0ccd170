"""What sampling weighs where it is heaviest: more threads that run than anybody can look at, and
what a thread feels of it. For bench/run."""
import mmap
import os
import re
import signal
import statistics
import struct
import subprocess
import time

from rows import *

NS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
NOTES_MAX = 1 << 18  # as in felt.c
SECONDS = 8
GAP_NS = 10000


def sampled(folder, pid, seconds, *options):
    """What the last lines say, and for how long it took in all, in seconds."""
    start = time.monotonic()
    run = subprocess.run([SAMPLER, "-p", str(pid), "-d", f"{seconds}s", *options, "-o",
                          f"{folder}/weight.pb.gz"], capture_output=True, text=True, timeout=300)
    if run.returncode:
        raise Unavailable(run.stderr.strip())
    return run.stderr, time.monotonic() - start


def longest_held(err):
    found = re.search(r"held: .*?max ([\d.]+)(us|ms|s),", err)
    return float(found.group(1)) * NS[found.group(2)]


def beside_a_thousand(folder):
    section(f"1,000 threads that each run 30 us and sleep 0.5 ms, on all CPUs, {SECONDS} s")
    target = subprocess.Popen([need(os.path.join(BUILD, "fixtures", "notices")), "bursts", "600",
                               "1000", "30", "500"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)
    try:
        time.sleep(3)
        for options in (("-r", "99"), ("-r", "99", "--wall"), ("-r", "999"), ("-r", "999", "--wall")):
            err, took = sampled(folder, target.pid, SECONDS, *options)
            name = f"{options[1]} Hz{' --wall' * (len(options) > 2)}"
            cpu = float(re.search(r"\(([\d.]+)% of one CPU\)", err).group(1))
            lasted = float(re.search(r"samples: \d+ in ([\d.]+)s", err).group(1))
            kept = float(re.search(r"rate: ([\d.]+)", err).group(1))
            held = longest_held(err)
            row(f"{name}: our CPU, symbols included", cpu, "", None, "%", None, "<= 5%", cpu <= 5)
            row(f"{name}: rate kept", kept, "", None, "Hz")
            row(f"{name}: longest hold", held, "", None, "ms", None, "<= 10 ms", held <= 10)
            row(f"{name}: recorded for longer than was asked", lasted - SECONDS, "", None, "s", None,
                "<= 0.5 s", lasted - SECONDS <= 0.5)
            row(f"{name}: all else, until the file is there", took - lasted, "", None, "s", None,
                "<= 3 s", took - lasted <= 3)
    finally:
        target.kill()
        target.wait()


class Felt:
    """bench/felt, and the gaps that its thread has noted."""

    def __init__(self, folder, threads):
        self.path = f"{folder}/felt"
        self.process = subprocess.Popen([os.path.join(BENCH, "felt"), self.path, str(threads)])
        time.sleep(0.5)
        file = os.open(self.path, os.O_RDONLY)
        self.notes = mmap.mmap(file, 0, prot=mmap.PROT_READ)
        os.close(file)

    def count(self):
        return struct.unpack_from("Q", self.notes, 0)[0]

    def since(self, first):
        n = self.count()
        gaps = struct.unpack_from(f"{n - first}I", self.notes, 8 + 4 * first)
        return sorted(g for g in gaps if g >= GAP_NS)

    def close(self):
        self.process.kill()
        self.process.wait()


def felt(folder, threads, rounds=6, seconds=8):
    for options in ((), ("--wall",)):
        alone, looked = [], []
        for _ in range(rounds):
            target = Felt(folder, threads)
            try:
                first = target.count()
                time.sleep(seconds)
                alone += target.since(first)
                first = target.count()
                sampled(folder, target.process.pid, seconds, *options)
                looked += target.since(first)
            finally:
                target.close()
        percentile = lambda gaps, p: sorted(gaps)[int(len(gaps) * p)] / 1e3
        name = f"99 Hz {' '.join(options)}".strip()
        at_most(f"{name}: pauses above 10 us, p99", percentile(looked, 0.99), "alone",
                percentile(alone, 0.99), "us", 1.5)
        row(f"{name}: such pauses a second", len(looked) / rounds / seconds, "alone",
            len(alone) / rounds / seconds, "")
        row(f"{name}: the longest", looked and max(looked) / 1e3, "alone", max(alone) / 1e3, "us")


def weight(folder):
    beside_a_thousand(folder)
    section("A thread that reads the clock, beside 100 that wait, on its own CPU")
    felt(folder, 100)
