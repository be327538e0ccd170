"""Interpreters' stacks, beside py-spy, rbspy and phpspy: what the program that is looked at feels of
it, and which stacks it is said to have had. For tools/bench/run.

The programs (interpreted.py, .rb, .php) note their own pauses, as interpreted.py says. What they lose
is told by two accounts: the time in which they neither ran nor waited for a CPU, by the kernel's; and
the steps that are missing of those made in as much time alone, just before and after. Neither counts
other work on the machine. Besides, the program has one CPU and the profilers have another, all at
real-time priority, where there are two and the kernel allows it.

Which stacks a program can have follows from its source (`possible`); each other one is impossible.
Native frames are left out for that."""
import collections
import contextlib
import ctypes
import functools
import mmap
import os
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from rows import *

sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from interpreters import Interpreter, Skip, pythons  # noqa: E402
from pins import PINS  # noqa: E402
from pprof import Profile  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
REPEATS = int(os.environ.get("BENCH_REPEATS", "5"))
SOME = (REPEATS + 1) // 2
SECONDS, ALONE = 2.0, 1.0  # of a slice of time
ATTACHING = 1.0            # seconds until a profiler looks regularly
RATE, FRAMES, IDLE = 999, (10, 50, 900), (1, 50)
LEAST = {50: {"py-spy": 20, "rbspy": 10}, 900: {"py-spy": 100}}  # times shorter pauses than a peer's
PEERS = {"py-spy": ("PYSPY", "python3 -m pip install -q --no-deps --target {} py-spy=={}", 120),
         "rbspy": ("RBSPY", "cargo install -q --root {} rbspy@{}", 1500)}  # pin, installer, seconds


# Where programs run.

def cpu_of(which):
    """The profilers' CPU (0), or the program's (1)."""
    cpus = sorted(os.sched_getaffinity(0))
    return {cpus[which]} if len(cpus) > 1 else set(cpus)


@contextlib.contextmanager
def undisturbed():
    """What is started meanwhile has real-time priority. Gives the CPU for the program; everything
    else is on the other one."""
    cpus, target = os.sched_getaffinity(0), cpu_of(1)
    try:
        if len(cpus) > 1:
            with contextlib.suppress(PermissionError):
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        os.sched_setaffinity(0, cpu_of(0))
        yield target
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, cpus)


def start(cpus, *command, **options):
    """A program that ends with us, even if we are killed: at its priority, few others would run."""
    def prepare():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        os.sched_setaffinity(0, cpus)
    return subprocess.Popen(command, preexec_fn=prepare, **options)


class Program:
    """One that is looked at: a source beside this file, run by an Interpreter or the path of one."""

    def __init__(self, folder, cpus, interpreter, source, frames, idle, **environment):
        self.path, self.frames = os.path.join(folder, "notes"), frames
        if isinstance(interpreter, str):
            interpreter = Interpreter(interpreter)
        self.process = start(cpus, *interpreter.command, os.path.join(HERE, source), self.path,
                             str(frames), str(idle), stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, env={**interpreter.env, **environment})
        self.pid = self.process.pid

    def __enter__(self):
        while not os.path.exists(self.path) or not os.path.getsize(self.path):
            if self.process.poll() is not None:
                raise Unavailable(self.process.stderr.read().strip()[-100:] or "it ended")
            time.sleep(0.05)
        with open(self.path, "rb") as file:
            self.notes = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.notes.close()
        os.unlink(self.path)

    def account(self):
        """Seconds: now, on a CPU, ready and waiting for one. Steps made; pauses felt."""
        with open(f"/proc/{self.pid}/schedstat") as file:
            waited = int(file.read().split()[1])
        cpu = time.clock_gettime(~self.pid << 3 | 2)  # a process's; CPUCLOCK_SCHED (posix-timers.h)
        return (time.monotonic(), cpu, waited / 1e9, *struct.unpack_from("QQ", self.notes))

    def pauses(self, first, end):
        """In microseconds, without the waiting for a CPU."""
        words = struct.unpack_from(f"{2 * (end - first)}Q", self.notes, 16 * (1 + first))
        return [(gap - waited) / 1e3 for gap, waited in zip(words[::2], words[1::2])]


# The runtimes' own functions that `watch` and what it calls call: the innermost frame, if any.
OWN = {"watch": {"clock_gettime", "hrtime", "pack", "pwrite"},
       "account": {"pread", "[]", "split", "to_i", "getrusage", "file_get_contents", "explode"},
       "note": {"pack", "fseek", "fwrite"}}


def possible(stack, frames):
    """Can the program's main thread have had this stack of functions, outermost first?"""
    outer, inner = stack[:frames], stack[frames:]
    if inner and (inner[-1] == "(unknown)" or inner[-1] in OWN.get(stack[-2], ())):
        inner = inner[:-1]  # rbspy has no name for functions in C
    chains = [tuple(f"{x}{i + 1}" for i in range(len(inner))) for x in "ab"]
    return (outer == ("main", *["down"] * (frames - 2), "watch") and
            (inner in (("account",), ("note",)) or len(inner) <= 4 and inner in chains))


def short(name):
    """A function's name without its class, the same in all languages."""
    return ("main" if name in ("<module>", "<main>", "{main}")
            else re.split(r"[#.:]", name)[-1].split(" [")[0])


# The profilers. Each writes a file `out`, and ends by SIGINT.

class Sampler:
    name = "sampler"

    def __init__(self, *options):
        self.options = options

    def command(self, pid, rate, out, seconds=60):
        return [SAMPLER, "-v", "-p", str(pid), "-r", str(rate), "-d", f"{seconds}s", *self.options,
                "-o", out]

    def stacks(self, out):
        """Stack -> how often it was seen. Marks are no functions: the first look at frames on the heap
        (CPython up to 3.10) may be cut, or not merged with the native ones."""
        profile, seen = Profile(out), collections.Counter()
        interpreted = {i for i, m in profile.mappings.items()
                       if m["file"] in ("[python]", "[ruby]", "[php]")}
        for sample in profile.samples:
            names = [function["name"] for location in reversed(sample["locations"])
                     if location["mapping"] in interpreted for function, _ in location["lines"]
                     if function["name"] != "[not merged]"]
            if "[cut]" not in names:
                seen[tuple(map(short, names))] += sample["values"][0]
        return seen


# As often as it is told, as its peers look: else it looks less often where that costs too much.
ALWAYS = "--max-cpu", "100", "--max-pause-share", "100"


class BareStop:
    """The system calls alone: the main thread is stopped, and 16 KiB of its stack are copied. No
    profiler that stops a thread is felt less."""
    name = "a bare stop"

    def command(self, pid, rate, out):
        return ["sh", "-c", f"exec {built('stopall')} {pid} {rate} main >{out}"]

    def stacks(self, _):
        return collections.Counter()


class Peer:
    def __init__(self, path, *options):
        self.path, self.options = path, options
        self.name = " ".join((os.path.basename(path), *options))

    def command(self, pid, rate, out):
        return [self.path, *self.begin.format(pid=pid, rate=rate, out=out).split(), *self.options]

    def stacks(self, out):
        seen = collections.Counter()
        with open(out) as file:
            for line in file:
                frames, count = line.rsplit(" ", 1)
                seen[tuple(map(short, filter(None, map(self.function, frames.split(";")))))] += int(count)
        return seen


class PySpy(Peer):
    begin = "record -p {pid} -r {rate} -f raw -F -o {out}"

    def function(self, frame):
        """None: a native one, whose file is not one of Python's."""
        name, place = frame.rsplit(" (", 1) if " (" in frame else (frame, "")
        return name if ".py" in place else None


class Rbspy(Peer):
    begin = "record -p {pid} -r {rate} -o collapsed -f {out} --raw-file {out}.raw --silent"

    def function(self, frame):
        return frame.split(" - ")[0]


class Phpspy(Peer):
    begin = "-p {pid} -H {rate} -o {out}"

    def stacks(self, out):
        """Traces end by an empty line, and have lines as "2 down /a.php:55", innermost first."""
        with open(out) as file:
            traces = [[line.split()[1] for line in trace.splitlines()]
                      for trace in file.read().split("\n\n")]
        return collections.Counter(tuple(map(short, reversed(t))) for t in traces if t)


def installed(program):
    return os.path.join(BENCH, program, "bin", program)


def install(program):
    """Once, if it is not on this machine; as far as that works here."""
    pin, installer, limit = PEERS[program]
    if not shutil.which(program) and not os.path.exists(installed(program)):
        command = installer.format(os.path.join(BENCH, program), PINS[pin]).split()
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=limit)


def peers_of(program, kind, *options):
    """One profiler for each string of options; none, and a row that says why, if it is not here."""
    try:
        path = need(program if shutil.which(program) else installed(program))
    except Unavailable as why:
        missing(program, why)
        return []
    return [kind(path, *o.split()) for o in ("", *options)]


# Measuring.

class Felt:
    """What a program felt of one profiler, in several slices of time."""

    def __init__(self):
        self.pauses, self.lost, self.stopped, self.looks_a_second = [], [], [], []
        self.looks = self.impossible = 0

    def pause(self, part):
        """In microseconds, of all pauses; 0: it felt none."""
        pauses = sorted(self.pauses) or [0.0]
        return pauses[min(len(pauses) - 1, int(len(pauses) * part))]

    def lost_median(self):
        return statistics.median(self.lost)

    def lost_spread(self):
        return (max(self.lost) - min(self.lost)) / 2

    def count(self, stacks, frames, seconds):
        """Other threads begin as those of threading.py do."""
        own = {stack: looks for stack, looks in stacks.items() if stack[:1] != ("_bootstrap",)}
        self.looks += sum(own.values())
        self.looks_a_second.append(sum(own.values()) / seconds)
        self.impossible += sum(n for stack, n in own.items() if not possible(stack, frames))

    def impossible_a_thousand(self):
        return 1000 * self.impossible / self.looks if self.looks else 0.0


def slice_of(program, seconds):
    """Steps for each second in which it did not wait for a CPU; of that time, the percentage in which
    it was not on one; the pauses."""
    before = program.account()
    time.sleep(seconds)
    after = program.account()
    took, cpu, waited, steps, _ = (b - a for a, b in zip(before, after))
    own = took - waited
    return steps / own, 100 * (own - cpu) / own, program.pauses(before[4], after[4])


def stop(process):
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{process.args[0]} does not end") from None
    finally:
        process.kill()
        process.wait()


def looked_at(program, profiler, rate, felt, out):
    """A slice of time beside a profiler, added to `felt`. Returns its steps, as slice_of does."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(out)
    with open(out + ".said", "w") as said:
        process = subprocess.Popen(profiler.command(program.pid, rate, out), stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=said)
    begun = time.monotonic()
    try:
        time.sleep(ATTACHING)
        steps, stopped, pauses = slice_of(program, SECONDS)
        seconds = time.monotonic() - begun
    finally:
        stop(process)
    if not os.path.exists(out) or not os.path.getsize(out):
        raise Unavailable(f"{profiler.name}: " + " ".join(open(out + ".said").read().split())[-100:])
    felt.pauses += pauses
    felt.stopped.append(stopped)
    felt.count(profiler.stacks(out), program.frames, seconds)
    return steps


def compared(program, profilers, rate, repeats, out):
    """Name -> Felt: the profilers in turns, each between two slices alone. One that fails is left
    out, and a row says why."""
    felt = {name: Felt() for name in ("alone", *(p.name for p in profilers))}
    before = slice_of(program, ALONE)[0]
    for _ in range(repeats):
        for p in [p for p in profilers if p.name in felt]:
            try:
                steps = looked_at(program, p, rate, felt[p.name], out)
            except Unavailable as why:
                missing(p.name, why)
                del felt[p.name]
                continue
            after, stopped, pauses = slice_of(program, ALONE)
            felt[p.name].lost.append(100 - 200 * steps / (before + after))
            felt["alone"].lost.append(100 - 100 * after / before)
            felt["alone"].stopped.append(stopped)
            felt["alone"].pauses += pauses
            before = after
    if Sampler.name not in felt:
        raise Unavailable("sampler failed")
    return felt


# Rows.

def show_pauses(what, ours, against, theirs, least):
    for name, part in (("p50", 0.5), ("p99", 0.99), ("longest", 1)):
        a, b = ours.pause(part), theirs.pause(part)
        judged = least if part < 1 else None
        row(f"{what}: pause, {name}", a, against, b, "us", b / a if a else None,
            f"<= 1/{judged}" if judged else "", a * judged <= b if judged else None)


def show(what, felt, ours, least, more):
    """The pauses and, if `more`, all rows of one program."""
    others = {against: theirs for against, theirs in felt.items() if theirs is not ours}
    for against, theirs in others.items():
        if theirs.pauses and against != "alone":
            show_pauses(what, ours, against, theirs, least.get(against))
    if not more:
        return
    for against, theirs in others.items():
        row(f"{what}: steps lost (±{ours.lost_spread():.1f})", ours.lost_median(),
            f"{against} (±{theirs.lost_spread():.1f})", theirs.lost_median(), "%")
    for against, theirs in others.items():
        if theirs.looks:
            row(f"{what}: samples a second", statistics.median(ours.looks_a_second), against,
                statistics.median(theirs.looks_a_second), "")
            row(f"{what}: impossible stacks a thousand", ours.impossible_a_thousand(), against,
                theirs.impossible_a_thousand(), "", None, "0", not ours.impossible)


# Sections. `b` is a Bench: a folder, and the CPU for the programs.

Bench = collections.namedtuple("Bench", "folder cpus")


def program_of(b, *which, **environment):
    return Program(b.folder, b.cpus, *which, **environment)


def felt_by(b, interpreter, source, frames, idle, profilers, rate, repeats):
    with program_of(b, interpreter, source, frames, idle) as program:
        return compared(program, profilers, rate, repeats, f"{b.folder}/out")


def language(b, title, interpreter, source, idle_threads, peers):
    """All depths; with more idle threads only what they may change."""
    section(f"{title}, {RATE} Hz ({SOME} slices of {SECONDS:g} s)")
    profilers = [Sampler(*ALWAYS), BareStop(), *peers_of(*peers)]
    for frames in FRAMES:
        few = None
        for idle in idle_threads:
            what = f"{frames} frames" + f", {idle} idle" * (len(idle_threads) > 1)
            felt = felt_by(b, interpreter, source, frames, idle, profilers, RATE, SOME)
            ours = felt[Sampler.name]
            show(what, felt, ours, LEAST.get(frames, {}), few is None)
            if few:
                at_most(f"{what}: pause, p50", ours.pause(0.5), f"beside {idle_threads[0]} idle",
                        few.pause(0.5), "us", 1.2)
            few = few or ours


def at_99_hz(b, title, interpreter, source, idle_threads):
    """The rate at which a program is sampled if nothing else is said."""
    section(f"{title}, 99 Hz ({REPEATS} slices of {SECONDS:g} s)")
    for frames in FRAMES:
        for idle in idle_threads:
            what = f"{frames} frames" + f", {idle} idle" * (len(idle_threads) > 1)
            felt = felt_by(b, interpreter, source, frames, idle, [Sampler()], 99, REPEATS)
            ours, alone = felt[Sampler.name], felt["alone"]
            stopped = statistics.median(ours.stopped) - statistics.median(alone.stopped)
            row(f"{what}: stopped", stopped, "", None, "%", None, "< 0.5 %", stopped < 0.5)
            row(f"{what}: steps lost (±{ours.lost_spread():.1f})", ours.lost_median(),
                f"alone (±{alone.lost_spread():.1f})", alone.lost_median(), "%")
            row(f"{what}: pause, p50", ours.pause(0.5), "", None, "us")
            row(f"{what}: pause, p99", ours.pause(0.99), "", None, "us")


def releases(b):
    """Each CPython that tools/packages fetches, at one depth."""
    section(f"All CPythons here, 50 frames, {RATE} Hz (a slice of {SECONDS:g} s)")
    profilers = [Sampler(*ALWAYS), *peers_of("py-spy", PySpy)]
    for version, made in pythons():
        try:
            felt = felt_by(b, made(), "interpreted.py", 50, 1, profilers, RATE, 1)
        except (Unavailable, Skip, AssertionError) as why:
            missing(version, why)
            continue
        show(version, felt, felt[Sampler.name], LEAST[50], False)
        for p in [p for p in profilers if p.name in felt]:
            row(f"{version}: impossible stacks of {felt[p.name].looks}, {p.name}",
                felt[p.name].impossible, "", None, "")


# What the interpreter's frames add to the time for which a thread is held.

HIDDEN = (b"PyRuntime\0", b"PyInterpreterState_Head\0")


def without_names(folder, python):
    """A copy of a CPython that sampler does not find: its thread is held for its native stack alone."""
    path = os.path.join(folder, "python")
    with open(os.path.realpath(python), "rb") as source, open(path, "wb") as out:
        data = source.read()
        for name in HIDDEN:
            data = data.replace(name, name[:-2] + b"_\0")
        out.write(data)
    os.chmod(path, 0o755)
    return path


def built(program):
    """The path of one of the programs here that `make bench` would have built."""
    path, folder = os.path.join(BENCH, program), os.path.relpath(BUILD, ROOT)  # as make has it
    if not os.path.exists(path):
        run = subprocess.run(["make", "-C", ROOT, f"BUILD={folder}", f"{folder}/tools/bench/{program}"],
                             capture_output=True, text=True)
        if run.returncode:
            raise Unavailable(f"no {program}: " + " ".join(run.stderr.split())[-100:])
    return path


def held_p50(b, pid, with_frames):
    """In microseconds, as sampler accounts for it."""
    run = subprocess.run(Sampler(*ALWAYS).command(pid, RATE, f"{b.folder}/out", SECONDS),
                         capture_output=True, text=True, timeout=60)
    found = re.search(r"held: \d+ stops, p50 ([\d.]+) (µs|ms),", run.stderr)
    if not found or bool(re.search(r"runtimes: .* in \d+ stacks", run.stderr)) != with_frames:
        raise Unavailable("not looked at as expected: " + " ".join(run.stderr.split())[-100:])
    return float(found[1]) * {"µs": 1, "ms": 1000}[found[2]]


def copied(b, python):
    section(f"Held for a stack with interpreted frames, p50 ({SOME} times {SECONDS:g} s in turns)")
    nameless, c_program = without_names(b.folder, python), built("felt")
    prefix = subprocess.run([python, "-c", "import sys; print(sys.base_prefix)"], check=True,
                            capture_output=True, text=True).stdout.strip()
    for frames in FRAMES:
        ours, native, c = [], [], []
        for _ in range(SOME):
            with program_of(b, python, "interpreted.py", frames, 1) as program:
                ours.append(held_p50(b, program.pid, True))
            with program_of(b, nameless, "interpreted.py", frames, 1, PYTHONHOME=prefix) as program:
                native.append(held_p50(b, program.pid, False))
            with start(b.cpus, c_program, f"{b.folder}/felt", "1", str(frames)) as program:
                try:
                    time.sleep(0.5)
                    c.append(held_p50(b, program.pid, False))
                finally:
                    program.kill()
        ours, native, c = map(statistics.median, (ours, native, c))
        at_most(f"{frames} frames of CPython", ours, "its native stack alone", native, "us", 1.5)
        at_most(f"{frames} frames of CPython", ours, "a C program of as many frames", c, "us", 1.5)


# The sections by name, for tools/bench/run.

def system_python():
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else need("python3")


def interpreters_python(b):
    language(b, "Python", system_python(), "interpreted.py", IDLE,
             ("py-spy", PySpy, "--native", "--nonblocking"))


def interpreters_python_99(b):
    at_99_hz(b, "Python", system_python(), "interpreted.py", IDLE)


def interpreters_releases(b):
    releases(b)


def interpreters_held(b):
    copied(b, system_python())


def interpreters_ruby(b):
    language(b, "Ruby", need("ruby"), "interpreted.rb", IDLE, ("rbspy", Rbspy, "--nonblocking"))


def interpreters_php(b):
    language(b, "PHP", need("php"), "interpreted.php", (0,), ("phpspy", Phpspy, "--pause-process"))


def part(section, *peers):
    """Runs it, with these peers, in a folder in memory, because a disk would have the program wait."""
    @functools.wraps(section)
    def run():
        for program in peers:
            install(program)
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        with tempfile.TemporaryDirectory(dir=memory) as folder, undisturbed() as cpus:
            section(Bench(folder, cpus))
    return run


PARTS = [part(interpreters_python, "py-spy"), part(interpreters_python_99),
         part(interpreters_releases, "py-spy"), part(interpreters_held),
         part(interpreters_ruby, "rbspy"), part(interpreters_php)]
