"""Go's own profiles read from outside, compared with the other ways to read them from a running
process: its own endpoint (net/http/pprof), which stops the program while it lists goroutines, and
Delve, which stops it altogether.

The program (tools/bench/gomany) has a thread that only reads the clock. The longest time between two
readings, less the time for which it waited for a CPU, is how long it was kept from running. The
least of all repetitions is shown, because other work on the machine adds least to it; and for
comparison the figure of a second without any look."""
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request

import golang
from rows import *

REPEATS = int(os.environ.get("BENCH_REPEATS", "5"))
SIZES = [int(n) for n in os.environ.get("BENCH_GO_SIZES", "1000 10000 100000 1000000").split()]
DELVE = "github.com/go-delve/delve/cmd/dlv@" + golang.PINS["DELVE"]
DELVE_MOST = 100000  # goroutines: some 60 s
BUCKETS_MOST = 1000000


class Many:
    """The program, with this number of goroutines and of buckets."""

    def __init__(self, goroutines, buckets):
        program = golang.build("gomany", os.path.join(ROOT, "tools", "bench", "gomany"))
        self.process = subprocess.Popen([program, str(goroutines), str(buckets)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid

    def __enter__(self):
        self.port, self.watcher = self.process.stdout.readline().split()
        self.gap()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def gap(self):
        """The longest time for which it was kept from running since the last call, in ms."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / 1e6

    def cpu(self):
        """CPU seconds, without those of the thread that reads the clock."""
        total = 0
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            if tid != self.watcher:
                with open(f"/proc/{self.pid}/task/{tid}/schedstat") as file:
                    total += int(file.read().split()[0])
        return total / 1e9

    def measured(self, what, repeats=None):
        """Calls what() and returns the least CPU seconds, the least seconds, and the least ms for
        which the program was stopped. what() returns its CPU seconds, or None if those of the
        program count."""
        figures = []
        for _ in range(repeats or REPEATS):
            self.gap()
            before, start = self.cpu(), time.monotonic()
            cpu = what()
            figures.append((self.cpu() - before if cpu is None else cpu,
                            time.monotonic() - start, self.gap()))
        return tuple(map(min, zip(*figures)))

    def fetch(self, path):
        def get():
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/debug/pprof/{path}",
                                        timeout=600) as answer:
                while answer.read(1 << 20):
                    pass
        return get


def delve():
    path = shutil.which("dlv") or os.path.join(BENCH, "dlv")
    if not os.path.exists(path):
        subprocess.run([need("go"), "install", DELVE], env={**os.environ, "GOBIN": BENCH},
                       capture_output=True, timeout=600)
    return need(path)


def by_delve(dlv, pid):
    def look():
        run = subprocess.run([dlv, "attach", str(pid), "--allow-non-terminal-interactive=true"],
                             input="goroutines -t 32\nquit\nn\n", capture_output=True, text=True,
                             timeout=900)
        assert "[" in run.stdout, run.stderr
        return 0
    return look


def by_sampler(folder, pid, *options):
    path = f"{folder}/live.pb.gz"

    def look():
        if os.path.exists(path):
            os.remove(path)
        cpu = usage_in(folder, SAMPLER, *options, "-o", path, "-p", str(pid))[0]
        if not os.path.exists(path):
            raise Unavailable("sampler failed: " + " ".join(options))
        return cpu
    return look


def number(n):
    return f"{n:,}"


def compared(what, ours, against, theirs, with_cpu=True):
    if with_cpu:
        row(f"{what}, CPU", ours[0] * 1e3, against, theirs[0] * 1e3, "ms", theirs[0] / ours[0])
    row(f"{what}, time", ours[1] * 1e3, against, theirs[1] * 1e3, "ms", theirs[1] / ours[1])
    row(f"{what}, target stopped", ours[2], against, theirs[2], "ms",
        theirs[2] / ours[2] if ours[2] else None)


def goroutines_of(many, n, folder):
    what = f"{number(n)} goroutines"
    once = 1 if n > 100000 else None
    sampler = lambda *options: by_sampler(folder, many.pid, *options)
    idle = many.measured(lambda: time.sleep(1))
    live = many.measured(sampler("-q", "-t", "goroutine"))
    row(f"{what}, target stopped, no look", idle[2], "", None, "ms")
    if n == 100000:
        row(f"{what}, full stacks, CPU", live[0] * 1e3, "", None, "ms", None, "< 1 s", live[0] < 1)
    compared(what, live, "debug=0", many.measured(many.fetch("goroutine?debug=0"), once))
    try:
        dump = many.measured(sampler("dump", "-q", "--goroutines"))
        compared(f"{what}, as text", dump, "debug=2",
                 many.measured(many.fetch("goroutine?debug=2"), once))
        held = many.measured(sampler("-q", "-t", "goroutine", "--stop=10s"))
        row(f"{what}, --stop, target stopped", held[2], "", None, "ms")
        if n <= DELVE_MOST:
            compared(what, live, "dlv, goroutines -t",
                     many.measured(by_delve(delve(), many.pid), 1), with_cpu=False)
    except (Unavailable, subprocess.SubprocessError) as why:
        missing(what, why)


def buckets_of(many, n, folder):
    ours = many.measured(by_sampler(folder, many.pid, "-q", "-t", "heap"))
    compared(f"{number(n)} buckets", ours, "heap?debug=0",
             many.measured(many.fetch("heap"), 1 if n > 100000 else None))


def golive():
    folder = tempfile.mkdtemp(prefix="sampler-bench-")
    section(f"Go's own profiles of a process that runs (least of {REPEATS})")
    try:
        for n in SIZES:
            with Many(n, min(n, BUCKETS_MOST)) as many:
                goroutines_of(many, n, folder)
                buckets_of(many, n, folder)
    finally:
        shutil.rmtree(folder)
