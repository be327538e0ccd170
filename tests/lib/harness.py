"""What the program tests share: cases, fixtures, recordings.

A test script defines functions and passes them to run(). Each is one test, for which
run() prints "ok NAME", "skip NAME: WHY" or "not ok NAME: WHY" (tests/run-suites counts
these lines)."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(__file__))
import ownroot  # noqa: E402,F401
from pins import CACHE, TOOLS  # noqa: E402
from pprof import Profile  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
SAMPLER = os.path.abspath(os.environ.get("SAMPLER", os.path.join(BUILD, "sampler")))
FIXTURES = os.path.join(BUILD, "fixtures")
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


os.environ["PATH"] = os.path.join(TOOLS, "bin") + ":" + os.environ["PATH"]
os.environ.setdefault("GOCACHE", os.path.join(CACHE, "go-build"))
# Unwind tables of the tests are kept there, not in the user's home.
os.environ["XDG_CACHE_HOME"] = os.path.join(BUILD, "cache")
os.makedirs(os.environ["XDG_CACHE_HOME"], exist_ok=True)


# In a command that a shell runs in the background SIGINT is ignored, and the programs that we start
# would inherit that. In them SIGINT must have its default, as with Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


# `make check-long` sets it to 1. With "full" what only repeats has the counts of the tables in docs/,
# with which check-long would take days.
LONG = os.environ.get("SAMPLER_TEST_LONG") in ("1", "full")
DIVISOR = 1 if os.environ.get("SAMPLER_TEST_LONG") == "full" else 15


def amount(short, long):
    return long if LONG else short


def times(short, full):
    """A count of stops, steps or samples: in `make check-long` a fifteenth of the full one."""
    return max(short, full // DIVISOR) if LONG else short


class Skip(Exception):
    """For what the machine itself cannot do. A program that could be installed is never a reason
    to skip."""


def need(program):
    path = shutil.which(program)
    assert path, f"no {program} here: tools/packages test installs it"
    return path


def fixture(name):
    path = os.path.join(FIXTURES, name)
    assert os.path.exists(path), f"the fixture {name} is not there: make check-build says why"
    return path


def own_session(nice=0):
    """CPUs are shared between sessions first, by their nice values (sched(7), "The autogroup feature"):
    what is started from now on has its part beside other suites, and leaves them theirs."""
    try:
        os.setsid()
    except PermissionError:
        return  # a shell's job: it has one, and no suite is in it
    # A suite that takes too long gets SIGTERM alone now, not with its group.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    if nice:
        with open("/proc/self/autogroup", "w") as f:
            f.write(str(nice))


class Running:
    """A program that is at work when the with block begins, and is killed at its end."""

    def __init__(self, *command, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.DEVNULL)
        self.process = subprocess.Popen(command, **options)
        self.pid = self.process.pid

    def __enter__(self):
        at_work(self.process)
        assert self.process.poll() is None, f"{self.process.args} ended at once"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def at_work(process, cpu_s=0.1):
    """Waits until it has used `cpu_s` seconds of CPU time, or was seen waiting twice. A fixed time
    may be too short on a busy machine."""
    waits = 0
    while waits < 20 and process.poll() is None and cpu_seconds(process.pid) < cpu_s:
        time.sleep(0.01)
        # D may be a wait for a disk, before the work begins, or a wait for a vfork, which is work.
        waits += {"S": 10, "Z": 10, "D": 1}.get(status_field(process.pid, "State")[:1], 0)


def at_rest(pid):
    """Does each thread sleep, and has none run for 0.1 s?"""
    def look():
        return [(status_field(f"{pid}/task/{t}", "State")[0],
                 open(f"/proc/{pid}/task/{t}/schedstat").read()) for t in os.listdir(f"/proc/{pid}/task")]
    before = look()
    time.sleep(0.1)
    return {state for state, _ in before} == {"S"} and look() == before


def begun(sampler):
    """Has it begun to sample? The watchdog is the last process that it starts before."""
    names = []
    for child in open(f"/proc/{sampler.pid}/task/{sampler.pid}/children").read().split():
        try:
            names.append(open(f"/proc/{child}/comm").read().strip())
        except FileNotFoundError:
            pass
    return "spl-watchdog" in names


NOTHING_SAMPLED = 5  # the status; then no file is written
WELL = (0, NOTHING_SAMPLED)  # on a busy machine the target may not run


class Recording:
    """Its `err` has the whole summary (-v) unless `brief`. `profile` is None if there was nothing to
    write."""

    def __init__(self, *arguments, env=None, stdin=None, brief=False, timeout=100):
        self.folder = tempfile.mkdtemp(prefix="sampler-test-")
        self.path = os.path.join(self.folder, "out.pb.gz")
        detail = [] if brief or "-q" in arguments else ["-v"]
        run = subprocess.run([SAMPLER, "-o", self.path, *detail, *map(str, arguments)], env=env, stdin=stdin,
                             capture_output=True, text=True, timeout=timeout)
        self.status, self.out, self.err = run.returncode, run.stdout, run.stderr
        self.profile = Profile(self.path) if os.path.exists(self.path) else None
        shutil.rmtree(self.folder)

    def ledger(self):
        """(walks that ended outermost in percent, samples)"""
        samples = int(re.search(r"samples: (\d+)", self.err).group(1))
        return float(re.search(r"unwound: ([\d.]+)%", self.err).group(1)), samples


def mostly_whole(recording, percent=99.0):
    """Did so many of its walks end outermost? One of fewer than a hundred is no share."""
    walked, samples = recording.ledger()
    return walked >= percent or samples * (100 - walked) <= 150


# For tests of what a stop does: where perf events serve, nothing is stopped.
STOPS = ("--engine", "ptrace")
REST = ("--engine", "rest")
WHOLE_CPU = ("--max-cpu", "100")  # for tests of anything but the budget


def events_are_permitted():
    """Skips the test where perf events are refused."""
    r = subprocess.run([SAMPLER, "-q", "--engine", "perf", "-d", "100ms", "-o", "/dev/null", "-p", str(os.getpid())],
                       capture_output=True, text=True)
    if "perf_event_open" in r.stderr:
        raise Skip(headline(r.stderr))


def threads_are_read_at_rest():
    """Skips the test where the kernel does not permit that."""
    r = subprocess.run([SAMPLER, "-v", "--wall", "-d", "50ms", "-o", "/dev/null", "-p", str(os.getpid())],
                       capture_output=True, text=True, timeout=60)
    found = re.search(r"with stops: (.*)", r.stderr)
    if found:
        raise Skip(f"threads have to be stopped: {found[1]}")


def sample(pid, seconds=1.5, rate=199, *more, **options):
    """Repeated for longer where the target got no CPU time on a busy machine."""
    for patience in (1, 2, 4, 8, 16):
        r = Recording("-p", pid, "-d", f"{min(seconds * patience, 90)}s", "-r", rate, *WHOLE_CPU,
                      *more, **options)
        if r.status != NOTHING_SAMPLED:
            break
    if r.status not in WELL or "the process that decodes" in r.err:
        raise RuntimeError(f"status {r.status}: {r.err}")  # which in_one_of does not repeat
    assert r.status == 0, r.err
    return r


def dump_that_shows(pattern, pid, *more):
    """A thread that has no CPU for a second is shown without a stack: then once more."""
    for _ in range(3):
        run = subprocess.run([SAMPLER, "dump", "-p", str(pid), *more], capture_output=True, text=True,
                             timeout=100)
        assert run.returncode == 0, run.stderr
        if re.search(pattern, run.stdout):
            break
    return run


def record_to(path, pid, seconds, *more, program=SAMPLER):
    """Records to a file: for longer where the target got no CPU time on a busy machine."""
    for patience in (1, 4, 16):
        run = subprocess.run([program, "-q", "-p", str(pid), "-d", f"{seconds * patience}s", "-o", path,
                              *map(str, more)], capture_output=True, text=True, timeout=100)
        if run.returncode != NOTHING_SAMPLED:
            break
    assert run.returncode == 0, run.stderr


def report_that_shows(pattern, pid):
    """A report's text. The longer recordings are for a busy machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.pb.gz")
        for seconds in (1, 4):
            record_to(path, pid, seconds, "-r", 499, *WHOLE_CPU)
            report = subprocess.run([SAMPLER, "report", path], capture_output=True, text=True).stdout
            if re.search(pattern, report):
                break
    return report


def printed_seconds(number, unit):
    """Of "97.6", "µs": the time, and half of its last digit: the most that it was rounded by."""
    scale = {"µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
    return float(number) * scale, 0.5 * scale / 10 ** len(number.partition(".")[2])


class Watched:
    """Looks at the tracer of each thread, as often as it can."""

    def __init__(self, pid):
        self.pid, self.looks, self.tracers, self.over = pid, 0, set(), False
        self.thread = threading.Thread(target=self.look)

    def look(self):
        files = [open(f"/proc/{self.pid}/task/{tid}/status", "rb", buffering=0) for tid in os.listdir(f"/proc/{self.pid}/task")]
        while not self.over:
            for file in files:
                self.tracers.add(re.search(rb"TracerPid:\t(\d+)", os.pread(file.fileno(), 4096, 0))[1])
                self.looks += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def sample_enough(pid, seconds=0.4, rate=499, *more, least=50, **options):
    """A recording with at least `least` samples: repeated for longer on a busy machine, which may
    give the target little CPU time."""
    patience = 1
    while True:
        r = sample(pid, seconds * patience, rate, *more, **options)
        got = r.profile.total(0)
        if got >= least:
            return r
        assert patience < 32, f"{got} samples of {least}: {r.err}"
        patience = min(32, patience * min(8, max(1.5, 1.3 * least / max(got, 1))))


PORTS = []


def free_port():
    """A port of 127.0.0.1 that stays bound, but not listened at, until we end, so that no other test gets
    it. Servers set SO_REUSEADDR, so they can listen at it (inet_bind_conflict() in
    net/ipv4/inet_connection_sock.c)."""
    PORTS.append(socket.socket())
    PORTS[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    PORTS[-1].bind(("127.0.0.1", 0))
    return PORTS[-1].getsockname()[1]


def listening(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def expectation(source, key="expect"):
    text = open(os.path.join(ROOT, "tests", "fixtures", source)).read()
    found = re.search(rf"{key}: ((?:.* <\n)*.*)", text)
    return [name.strip() for name in re.split(r" <(?: |\n \* )", found.group(1))] if found else []


def has_chain(names, chain):
    """Do the names of the chain stand in the stack, innermost first, one directly
    below the other? "..." in a chain stands for any number of frames."""
    return any(follows(names, chain, at) for at, name in enumerate(names) if name == chain[0])


def follows(names, chain, start=0):
    """Makes no copies of the stack: some are a hundred thousand frames deep."""
    for at, wanted in enumerate(chain, start):
        if wanted == "...":
            rest = chain[at - start + 1:]
            first = rest[0] if rest else "..."
            return any(first in (names[i], "...") and follows(names, rest, i)
                       for i in range(at, len(names)))
        if at >= len(names) or names[at] != wanted:
            return False
    return True


def begins_where_stacks_begin(names):
    """Is the outermost frame one that the kernel enters? The ledger is what sampler itself
    says of that; this check is independent of it."""
    return names[-1] in ("_start", "clone3", "__clone3", "clone", "__clone")


def all_help():
    """Every page of help."""
    say = lambda *words: subprocess.run([SAMPLER, "help", *words], capture_output=True, text=True).stdout
    pages = re.findall(r"(?m)^  ([a-z]+)  +\S", say()) + ["rounds"]
    assert len(pages) > 10, pages
    return "".join(map(say, dict.fromkeys(pages)))


def every_thread():
    """The option that has waiting threads sampled, too, if there is one."""
    text = subprocess.run([SAMPLER, "help", "record"], capture_output=True, text=True).stdout
    return ["--wall"] if "--wall" in text else []


def status_fields(pid, *fields):
    """Fields of one moment."""
    with open(f"/proc/{pid}/status", errors="replace") as file:
        text = "\n" + file.read()
    return [text.partition(f"\n{field}:")[2].partition("\n")[0].strip() for field in fields]


def status_field(pid, field):
    return status_fields(pid, field)[0]


def ended(pid):
    try:
        return status_field(pid, "State")[0] == "Z"
    except OSError:  # it may have ended between two reads
        return True


def cpu_ns(pid):
    """All threads' CPU time by the scheduler, in ns."""
    return sum(int(open(f"/proc/{pid}/task/{t}/schedstat").read().split()[0])
               for t in os.listdir(f"/proc/{pid}/task"))


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat", errors="replace").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def picture(pid):
    """Returns what each thread of a process that does not end is waiting for."""
    text = ""
    try:
        for task in sorted(os.listdir(f"/proc/{pid}/task")):
            parts = [f"{pid}/{task}"]
            for name in ("comm", "wchan", "syscall", "stack"):
                parts.append(open(f"/proc/{pid}/task/{task}/{name}").read().strip().replace("\n", " < "))
            status = open(f"/proc/{pid}/task/{task}/status").read()
            parts += re.findall(r"(?m)^(?:State|TracerPid|SigPnd|ShdPnd|SigBlk):.*", status)
            text += " | ".join(parts).replace("\t", " ") + "\n"
        if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "sampler":
            text += subprocess.run(["timeout", "20", "eu-stack", "-p", str(pid)], capture_output=True, text=True).stdout
    except OSError as why:
        text += f"{pid}: {why}\n"
    return text


def forget_maps(pid):
    """Removes the files in which that program has told of its compiled code."""
    for path in (f"/tmp/perf-{pid}.map", f"/tmp/jit-{pid}.dump"):
        if os.path.exists(path):
            os.unlink(path)


def wait_for(condition, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def in_one_of(times, attempt):
    """Repeats an attempt that may fail once or twice because the machine stands still."""
    for at in range(times):
        try:
            return attempt()
        except AssertionError:
            if at + 1 == times:
                raise


def headline(problem):
    """One line of an exception. A traceback of another program says at its end what happened."""
    lines = str(problem).strip().splitlines() or [type(problem).__name__]
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def run(tests):
    tests = list(tests)
    wanted = sys.argv[1:]
    failed = 0
    unknown = set(wanted) - {test.__name__ for test in tests}
    if unknown:
        sys.exit(f"no such test: {', '.join(sorted(unknown))}")
    for test in tests:
        name = test.__name__
        if wanted and name not in wanted:
            continue
        before = os.times()
        try:
            test()
            took = [b - a for a, b in zip(before, os.times())]
            print(f"ok {name} ({took[4]:.1f} s, CPU {sum(took[:4]):.1f} s)", flush=True)
        except Skip as why:
            print(f"skip {name}: {why}", flush=True)
        except Exception as problem:
            failed += 1
            print(f"not ok {name}: {headline(problem)}", flush=True)
            # Indented: it may contain another script's "ok", which tests/run-suites would count.
            print(textwrap.indent(traceback.format_exc(), "    "), end="")
    sys.exit(1 if failed else 0)


__all__ = [name for name in dir() if not name.startswith("_")]
