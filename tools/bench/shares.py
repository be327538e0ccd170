"""What a sample costs, how many of the ticks are kept, and how near the shares of CPU time are to
perf's, beside programs whose threads run for microseconds at a time. For tools/bench/run.

Our CPU time is the kernel's account of all our processes between two moments of the recording, so that
neither the beginning nor the symbols at its end count. perf's is that of perf record alone: what it
does in the interrupt, copying the stack, is in the target's account."""
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import time

from rows import *

sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import leaves  # noqa: E402
import loads  # noqa: E402
from harness import Running, fixture  # noqa: E402
from pprof import Profile  # noqa: E402

SECONDS = 10
SKIPPED = 2.5  # seconds at the beginning, in which tables are built and a hundred processes have their first sample
PERF = shutil.which("perf")


@contextlib.contextmanager
def missed_first():
    """Prints a section's rows when it ends: those that miss their target stand first."""
    rows = io.StringIO()
    try:
        with contextlib.redirect_stdout(rows):
            yield
    finally:
        print("".join(sorted(rows.getvalue().splitlines(True), key=lambda line: not line.endswith("MISSED\n"))),
              end="", flush=True)


def cpu_s(pid):
    """CPU seconds of a process and its children, ended threads included (clock_getcpuclockid(3))."""
    used = 0.0
    for each in loads.tree(pid):
        with contextlib.suppress(OSError):
            used += time.clock_gettime(~each << 3 | 2)
    return used


def watched(command, seconds):
    """Runs a profiler. Returns its CPU seconds a second amid the recording, and what it printed."""
    profiler = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True)
    try:
        time.sleep(SKIPPED)
        before, begun = cpu_s(profiler.pid), time.monotonic()
        time.sleep(seconds - SKIPPED - 0.5)
        if profiler.poll() is not None:
            raise Unavailable((profiler.stderr.read().strip().splitlines() or ["it ended"])[-1])
        used = (cpu_s(profiler.pid) - before) / (time.monotonic() - begun)
        return used, profiler.communicate(timeout=300)[1]
    finally:
        profiler.kill()
        profiler.wait()


class Ours:
    """A recording with the options that a user has by default."""

    def __init__(self, folder, pids, rate, *options, seconds=SECONDS):
        path, start = f"{folder}/shares.pb.gz", time.time()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        used, err = watched([SAMPLER, "-v", "-p", ",".join(map(str, pids)), "-d", f"{seconds}s", "-r", rate, *options,
                             "-o", path], seconds)
        if not os.path.exists(path):
            raise Unavailable((err.strip().splitlines() or ["no profile"])[-1])
        profile = Profile(path)
        self.samples = sum(s["values"][0] for s in profile.met)
        lasted = float(re.search(r"samples: \d+ in ([\d.]+) s", err).group(1))
        self.ms_a_sample = 1e3 * used * lasted / max(1, self.samples)
        self.kept = float(re.search(r"kept \(([\d.]+)%\)", err).group(1))
        self.of_cpu_time = 100 * self.samples / (rate * profile.total(1) / 1e9)
        self.first_tick = profile.time_nanos / 1e9 - start


def perfs_ms_a_sample(folder, pids, rate):
    path = f"{folder}/perf.data"
    used, _ = watched([PERF, "record", "-q", "-e", "cpu-clock", "-F", str(rate), "--call-graph", "dwarf", "-p",
                       ",".join(map(str, pids)), "-o", path, "--", "sleep", str(SECONDS)], SECONDS)
    said = subprocess.run([PERF, "script", "-i", path, "-F", "tid"], capture_output=True, text=True).stdout
    return 1e3 * used * SECONDS / max(1, len(said.split()))


class Fixture(Running):
    def __init__(self, *command):
        super().__init__(*map(str, command), stdin=subprocess.DEVNULL)

    def pids(self):
        return [self.pid]


class Build(loads.Load):
    """A `make -j` of this tree, in a folder of its own."""

    def __enter__(self):
        super().__enter__()
        time.sleep(1)
        return self

    def command(self):
        return ["make", "-C", os.path.abspath(ROOT), f"BUILD={self.folder}/build", "-j", 2 * os.cpu_count()]

    def is_ready(self):
        return True

    def clients(self):
        return []

    def pids(self):
        return [self.server.pid]


# name, program, rate, most ms a sample, least percent of ticks kept, options. perf record does not end in
# minutes beside the thousand threads, and does not see a build's later processes as we do.
COSTS = [
    ("postgres, 8 clients", lambda: loads.Postgres("8", "-S"), 99, 0.05, 95, ()),
    ("postgres, 100 clients", lambda: loads.Postgres("100", "-S"), 99, 0.05, 95, ()),
    ("mariadb", loads.Mariadb, 99, 0.05, 95, ()),
    ("64 busy threads", lambda: loads.Ring("pool", 64, 1000, 64), 99, 0.05, 95, ()),
    ("200 threads in turns", lambda: loads.Ring("pipes", 200, 20), 99, 0.1, None, ()),
    ("1,000 threads that run and sleep",
     lambda: Fixture(fixture("notices"), "bursts", 1000, 30, 500), 99, None, 95, None),
    ("make -j", Build, 99, None, 95, ("--children",)),
    ("redis", loads.Redis, 999, 0.05, 90, ()),
    ("postgres, 8 clients", lambda: loads.Postgres("8", "-S"), 999, 0.05, 90, ()),
]

ENGINES = {"at rest": ("--engine", "rest"), "by stops": ("--engine", "ptrace")}
FIRST_TICK_MS = {"redis": 20, "postgres, 100 clients": 100}  # at most


def cost_of(folder, name, make, rate, most_ms, least_kept, options):
    most_first = FIRST_TICK_MS.get(name)
    name = f"{name}, {rate} Hz"
    try:
        with make() as target:
            ours = Ours(folder, target.pids(), rate, *(options or ()))
            theirs = perfs_ms_a_sample(folder, target.pids(), rate) if PERF and options == () else None
            others = {engine: Ours(folder, target.pids(), rate, *(options or ()), *words)
                      for engine, words in ENGINES.items()}
    except (Unavailable, AssertionError, LookupError, OSError, subprocess.SubprocessError) as why:
        missing(name, str(why).splitlines()[0])
        return
    row(f"{name}: our CPU a sample", ours.ms_a_sample, f"perf record -F {rate} (dwarf)" if theirs else "", theirs,
        "ms", ours.ms_a_sample / theirs if theirs else None, f"<= {most_ms} ms" if most_ms else "",
        ours.ms_a_sample <= most_ms if most_ms else None)
    row(f"{name}: ticks kept", ours.kept, "", None, "%", None, f">= {least_kept}%" if least_kept else "",
        ours.kept >= least_kept if least_kept else None)
    # Of those that the target's CPU time gives at this rate: a tick can be kept and find nothing. (Where a
    # virtual CPU is taken away for a while, it counts as used, and its timers come later: perf has as few.)
    row(f"{name}: samples by CPU time", ours.of_cpu_time, "", None, "%")
    row(f"{name}: start to first tick", 1e3 * ours.first_tick, "", None, "ms", None,
        f"<= {most_first} ms" if most_first else "", 1e3 * ours.first_tick <= most_first if most_first else None)
    for engine, other in others.items():
        row(f"{name}, {engine}: our CPU a sample", other.ms_a_sample, "", None, "ms")
        row(f"{name}, {engine}: ticks kept", other.kept, "", None, "%")


def shares_cost(folder):
    section(f"A sample's cost, symbols not counted, and ticks kept; {SECONDS} s, default options")
    with missed_first():
        for case in COSTS:
            cost_of(folder, *case)
        idle(folder)


def idle(folder):
    """A recording of a second in which nothing is to be sampled, whole, from start to end."""
    with Fixture("sleep", "100") as target:
        used = []
        for _ in range(5):
            process = subprocess.Popen([SAMPLER, "-q", "-p", str(target.pid), "-d", "1s", "-o", f"{folder}/idle"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            usage = os.wait4(process.pid, 0)[2]
            process.returncode = 0
            used.append(1e3 * (usage.ru_utime + usage.ru_stime))
    middle = sorted(used)[len(used) // 2]
    row("1 s of an idle process: our CPU", middle, "", None, "ms", None, "<= 15 ms", middle <= 15)


def shares_distance(folder):
    """As tests/oracle/shares.test judges it, at the default rate and budget."""
    section(f"Distance of sampler's shares of leaves from perf's (cpu-clock, all CPUs), {3 * SECONDS} s at 99 Hz")
    words = [need("perf"), "record", "-q", "-a", "-e", "cpu-clock", "--user-regs=ip"]
    with missed_first():
        for name, make in (("postgres, 8 clients", lambda: loads.Postgres("8", "-S")), ("redis", loads.Redis),
                           ("memcached", loads.Memcached), ("ring of 8 threads, 20 us", lambda: loads.Ring("pipes", 8, 20, 2))):
            try:
                with make() as target:
                    distance_of(folder, name, target.pids(), words)
            except (Unavailable, AssertionError, OSError, ZeroDivisionError) as why:
                missing(name, str(why).splitlines()[0])


def distance_of(folder, name, pids, words):
    seconds, places, files = 3 * SECONDS, leaves.Places(), [f"{folder}/perf{i}" for i in range(2)]
    perfs = [subprocess.Popen([*words, "-F", rate, "-o", path, "--", "sleep", str(seconds)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
             for rate, path in zip(("997", "887"), files)]
    ours = Ours(folder, pids, 99, "--no-inline", seconds=seconds)
    if any(p.wait() for p in perfs):
        raise Unavailable("perf record failed")
    places.look(pids)
    found = leaves.Comparison(leaves.of_sampler(Profile(f"{folder}/shares.pb.gz"), places),
                              *(leaves.of_perf(path, places, set(pids)) for path in files))
    row(f"{name} ({ours.samples} samples)", found.ours, "two runs of perf", found.theirs, "", None, "<= 0.02 more",
        found.excess <= 0.02)

