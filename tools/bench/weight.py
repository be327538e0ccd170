"""The cost of sampling where it is highest: more running threads than can be looked at, busy loops
on all CPUs, ten thousand threads; and the pauses that a thread feels. For tools/bench/run."""
import mmap
import os
import re
import struct
import subprocess
import sys
import time

from rows import *

sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from pprof import Profile  # noqa: E402

NS = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
NOTES_MAX = 1 << 18  # as in felt.c
SECONDS = 8
GAP_NS = 10000
STOPS = ["--engine", "ptrace"]  # perf events stop no thread; with --wall it is this anyway
HOLD_SECONDS = int(os.environ.get("BENCH_HOLD_SECONDS", "30"))


def profile_times(path):
    """In seconds: when the recording began, and how long after its end the file was there."""
    p = Profile(path)
    begin, end = p.time_nanos / 1e9, (p.time_nanos + p.duration_nanos) / 1e9
    return begin, os.stat(path).st_mtime - end


def sampled(folder, pid, seconds, *options):
    """Samples. Returns the summary, and in seconds: from our start to the recording's, and from
    its end to the file."""
    path, start = f"{folder}/weight.pb.gz", time.time()
    run = subprocess.run([SAMPLER, "-v", "-p", str(pid), "-d", f"{seconds}s", *options, "-o", path],
                         capture_output=True, text=True, timeout=seconds + 300)
    if run.returncode:
        raise Unavailable(run.stderr.strip())
    begin, file = profile_times(path)
    return run.stderr, begin - start, file


def longest_held(err):
    """In ms; 0 if no thread was stopped."""
    found = re.search(r"held: .*?max ([\d.]+) (µs|ms|s),", err)
    return float(found.group(1)) * NS[found.group(2)] if found else 0.0


def beside_a_thousand(folder):
    section(f"1,000 threads that each run 30 us and sleep 0.5 ms, on all CPUs, {SECONDS} s")
    target = subprocess.Popen([need(os.path.join(BUILD, "fixtures", "notices")), "bursts",
                               "1000", "30", "500"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)
    try:
        time.sleep(3)
        for rate, *options in (("99",), ("99", *STOPS), ("99", "--wall"), ("999",), ("999", *STOPS), ("999", "--wall")):
            err, _, file = sampled(folder, target.pid, SECONDS, "-r", rate, *options)
            name = f"{rate} Hz{' by stops' * (options == STOPS)}{' --wall' * ('--wall' in options)}"
            cpu = float(re.search(r"\(([\d.]+)% of one CPU\)", err).group(1))
            lasted = float(re.search(r"samples: \d+ in ([\d.]+) s", err).group(1))
            kept = float(re.search(r"rate: ([\d.]+)", err).group(1))
            held = longest_held(err)
            row(f"{name}: our CPU, symbols included", cpu, "", None, "%", None, "<= 5%", cpu <= 5)
            row(f"{name}: rate kept", kept, "", None, "Hz")
            row(f"{name}: longest hold", held, "", None, "ms", None, "<= 10 ms", held <= 10)
            row(f"{name}: recorded for longer than was asked", lasted - SECONDS, "", None, "s", None,
                "<= 0.5 s", lasted - SECONDS <= 0.5)
            row(f"{name}: from its end to the file", file, "", None, "s", None, "<= 3 s", file <= 3)
    finally:
        target.kill()
        target.wait()


class Felt:
    """tools/bench/felt, and the gaps that its thread has noted."""

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


CONTROL = """
import os, sys, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
os.sched_setaffinity(0, {int(sys.argv[1])})
worst, over = 0, 0
while True:
    begun = time.monotonic()
    time.sleep(0.005)
    late = time.monotonic() - begun - 0.005
    if late > worst or late > 0.01:
        worst, over = max(worst, late), over + (late > 0.01)
        open(sys.argv[2], "w").write(f"{worst} {over}")
"""


class Controls:
    """On each CPU a process of our priority, which measures how long the machine itself stood."""

    def __init__(self, folder):
        cpus = sorted(os.sched_getaffinity(0))
        self.paths = [f"{folder}/control{cpu}" for cpu in cpus]
        self.processes = [subprocess.Popen([sys.executable, "-c", CONTROL, str(cpu), path])
                          for cpu, path in zip(cpus, self.paths)]

    def close(self):
        """Ends them. Returns how often it stood for more than 10 ms, on the worst CPU, and the
        longest time, in ms."""
        for process in self.processes:
            process.kill()
            process.wait()
        found = [open(path).read().split() for path in self.paths]
        return max(int(over) for _, over in found), max(float(worst) for worst, _ in found) * 1e3


def beside_busy_loops(folder):
    """Two targets with four busy threads each, beside 16 busy loops."""
    section(f"Beside 16 busy loops, {HOLD_SECONDS} s at 99 and at 999 Hz --wall, at the same time")
    counter = need(os.path.join(BENCH, "counter"))
    modes = (("-r", "99", *STOPS), ("-r", "999", "--wall"))
    controls, loops, targets = Controls(folder), [], []
    try:
        loops += (subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(16))
        targets += (subprocess.Popen([counter, "4", str(HOLD_SECONDS + 60)],
                                     stdout=subprocess.DEVNULL) for _ in range(2))
        time.sleep(1)
        runs = [subprocess.Popen([SAMPLER, "-v", "-p", str(target.pid), "-d", f"{HOLD_SECONDS}s", *options,
                                  "-o", f"{folder}/busy{options[1]}"],
                                 stderr=subprocess.PIPE, text=True)
                for target, options in zip(targets, modes)]
        said = [run.communicate(timeout=HOLD_SECONDS + 120)[1] for run in runs]
    finally:
        over, worst = controls.close()
        for process in loops + targets:
            process.kill()
            process.wait()
    for options, err in zip(modes, said):
        stops = int(re.search(r"held: (\d+) stops", err).group(1))
        name = f"{options[1]} Hz: longest of {stops} holds"
        row(name, longest_held(err), f"the machine stood; > 10 ms: {over}", worst, "ms", None,
            "<= 10 ms or so long", longest_held(err) <= max(10, worst))


def ten_thousand(folder):
    section("10,000 threads that wait, 5 s")
    target = subprocess.Popen([os.path.join(BENCH, "felt"), f"{folder}/many", "10000"])
    try:
        time.sleep(3)
        for options in ((), ("--wall",)):
            err, begin, file = sampled(folder, target.pid, 5, *options)
            name = f"99 Hz {' '.join(options)}".strip()
            row(f"{name}: from our start to the first look", begin, "", None, "s", None, "<= 1 s",
                begin <= 1)
            row(f"{name}: from its end to the file", file, "", None, "s", None, "<= 3 s", file <= 3)
            cpu = float(re.search(r"\(([\d.]+)% of one CPU\)", err).group(1))
            row(f"{name}: our CPU, symbols included", cpu, "", None, "%")
    finally:
        target.kill()
        target.wait()


def weight(folder):
    beside_a_thousand(folder)
    beside_busy_loops(folder)
    ten_thousand(folder)
    section("A thread that reads the clock, beside 100 that wait, on its own CPU")
    felt(folder, 100)
