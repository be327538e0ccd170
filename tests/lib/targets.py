"""Targets that report what they notice, and which of their threads are held."""
import subprocess

from harness import *

# Calls that a stop ends early if it finds them running, or in which it leaves a trace.
WHOLE_TRANSFERS = ("-large", "-waitall", "write-terminal", "-lowat", "-vmin", "-min-complete", "-rem")

# A thread that is stopped on its way into one of these calls returns from it early, once in a while
# (docs/transparency.md, "Calls that come back short"). A thread that waits in one is not stopped.
ON_THE_WAY_IN = ("close-linger", "recv-lowat", "read-tty-vmin", "nanosleep-rem",
                 "io_uring-min-complete")


def may_be_on_the_way_in(name, calls, early):
    """May `early` of the calls have been interrupted so? One in ten at most, and one in any case:
    of the slow ones there are only some."""
    return name in ON_THE_WAY_IN and early <= max(1, calls / 10)


def tasks(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return []


def held(pid, states="tT"):
    """Threads that are held: (tid, state, tracer)."""
    found = []
    for tid in tasks(pid):
        try:
            state, tracer = status_fields(f"{pid}/task/{tid}", "State", "TracerPid")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        state = state[:1]
        if state and (state in states or tracer != "0"):
            found.append((tid, state, tracer))
    return found


def none_is_held(pid, seconds=10):
    """Does not check how soon: tests/attach/watchdog.test does that."""
    assert wait_for(lambda: not held(pid), seconds), f"threads held: {held(pid)}"


class Checked(Running):
    """A program that checks itself, and on SIGTERM says "ok …" or what was wrong."""

    def __init__(self, name, *arguments):
        super().__init__(fixture(name), *map(str, arguments), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True)

    def verdict(self, tries=1):
        """`tries`: more than one if the thread that gets the signal may vanish because another
        thread calls exec."""
        while True:
            self.process.terminate()
            tries -= 1
            try:
                out, _ = self.process.communicate(timeout=1 if tries else 60)
                break
            except subprocess.TimeoutExpired:
                if not tries:
                    raise
        assert out.startswith("ok "), f"the target says: {out.strip() or self.process.returncode}"
        return out.split()


def end_leader(pid):
    """Has the first thread of `lives leader` end."""
    assert wait_for(lambda: len(tasks(pid)) == 3)  # it has blocked the signal before it made them
    os.kill(pid, signal.SIGUSR1)
    assert wait_for(lambda: status_field(pid, "State")[0] == "Z")


class Call:
    def __init__(self, line):
        self.name, *numbers = line.split()
        self.there = numbers != ["-"]
        if self.there:
            (self.calls, self.eintr, self.early, self.late, self.wrong, self.worst_us,
             self.result) = map(int, numbers)

    def __repr__(self):
        return (f"{self.name}: {self.calls} calls, {self.eintr} EINTR, {self.early} early, "
                f"{self.wrong} wrong ({self.result}), worst {self.worst_us} us late")

    def transfers(self):
        return any(word in self.name for word in WHOLE_TRANSFERS)


def calls_of(out):
    """The calls that `matrix` printed, without those that the machine does not have."""
    calls = [c for c in map(Call, out.splitlines()) if c.there]
    assert len(calls) > 80, out
    return calls


class Matrix:
    """The program `matrix`, and the same program beside it, which is left alone."""

    def __init__(self, seconds, how, late_ms, period_ms):
        command = [fixture("matrix"), str(seconds), how, str(late_ms * 1000), str(period_ms)]
        self.target, self.control = (
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            for _ in range(2))
        self.pid = self.target.pid
        assert wait_for(lambda: len(tasks(self.pid)) > 80)

    def calls(self):
        """Waits until both end. Returns the calls of the program and those of the other."""
        return [calls_of(p.communicate(timeout=60)[0]) for p in (self.target, self.control)]


def judge_demo(profile):
    """CPU time by thread, which is the kernel's account of each and does not depend on the number of
    samples. It may include what a virtual CPU stood still: in_one_of."""
    ns = profile.totals_by("thread", 1)
    for thread, share in (("series", 6), ("sorter", 4), ("writer", 2)):
        assert abs(ns.get(thread, 0) / sum(ns.values()) - share / 12) < 0.08, ns
    return ns


def had_time(control):
    """Has the program that is left alone made some calls of each kind? Where the machine stands still
    it has not, and the other cannot be judged."""
    return min(c.calls for c in control) > 5


def none_is_stuck(calls, control, more):
    """A call that is interrupted again and again never ends. The machine alone delays calls, too: it
    stands still for more than a second now and then, and the kernel thread that terminals need may
    have no CPU for longer. Then the control has waited as long."""
    machine = max(c.worst_us for c in control)
    stuck = [c for c in calls if c.calls < 3 or c.worst_us > 2e6 + machine]
    assert not stuck, f"{stuck}, unseen: {control}\n{more}"


__all__ = [name for name in dir() if not name.startswith("_")]
