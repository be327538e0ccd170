"""Builds tests/fixtures/goprofiles with any release of Go and in any way, runs it, and reads its
profiles from outside."""
import gzip
import tempfile

from golang import *
import golang

SOURCE = os.path.join(ROOT, "tests", "fixtures", "goprofiles")
RELEASES = since("1.18.10")
WAYS = {  # cgo, flags
    "plain": (0, []),
    "pie": (0, ["-buildmode=pie"]),
    "stripped": (0, ["-ldflags=-s -w"]),
    "stripped_pie": (0, ["-buildmode=pie", "-ldflags=-s -w"]),
    "cgo": (1, []),
    "cgo_stripped_pie": (1, ["-buildmode=pie", "-ldflags=-s -w"]),
    "race": (1, ["-race"]),
}
SHARED = (1, ["-buildmode=c-shared", "-ldflags=-s -w"])
# Values of GOEXPERIMENT that change the form of the runtime's tables or maps. Ways of these names
# are stripped PIEs.
EXPERIMENTS = [("1.24.11", "X:noswissmap"), ("1.25.5", "X:noswissmap"),
               ("local", "X:staticlockranking"), ("1.27.4", "X:mapsplitgroup")]
SHORT = [("1.20.14", "stripped"), ("local", "stripped_pie")]
CASES, ONE = cases(SHORT, RELEASES, WAYS), SHORT[-1]
# For work on a few cases: GOPROFILES_ONLY="1.20.14 stripped,local plain".
if os.environ.get("GOPROFILES_ONLY"):
    CASES = [tuple(case.split()) for case in os.environ["GOPROFILES_ONLY"].split(",")]
    ONE = CASES[-1]


def build(release, way, package="."):
    experiment = way[2:] if way.startswith("X:") else ""
    cgo, flags = SHARED if way == "shared" else WAYS["stripped_pie" if experiment else way]
    name = "goprofiles" if package == "." else package.strip("./")
    return golang.build(f"{name}-{release}-{way}", SOURCE, *flags, package=package,
                        release=release, cgo=cgo, GOEXPERIMENT=experiment)


def host():
    """Builds the C program that loads a build of the way "shared"; its path."""
    path = os.path.join(FIXTURES, "goprofiles-host")
    subprocess.run([need("gcc"), os.path.join(SOURCE, "host", "main.c"), "-o", path, "-ldl"],
                   check=True, timeout=100)
    return path


class Program:
    """Runs the program for a with block, which begins once the program waits. `inside`: a command
    that runs it as its child; `host`: a program that loads it."""

    def __init__(self, path, godebug="", inside=(), host=(), **env):
        env = {"GOPROFILES_" + k.upper(): str(v) for k, v in env.items()}
        self.process = subprocess.Popen([*inside, *host, path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True,
                                        env={**os.environ, "GODEBUG": godebug, **env})
        self.pid, self.inside = self.process.pid, inside
        self.folder = tempfile.TemporaryDirectory(prefix="sampler-goprofiles-")

    def __enter__(self):
        answer = self.process.stdout.readline()
        assert answer == "ok\n", f"it said {answer!r}, and ended {self.process.poll()}"
        if self.inside:
            children = f"/proc/{self.pid}/task/{self.pid}/children"
            self.pid = int(open(children).read().split()[0])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer == "ok\n", f"{line}: {answer!r}, status {self.process.poll()}"

    def write(self, name="inside"):
        folder = os.path.join(self.folder.name, name)
        os.mkdir(folder)
        self.do("write " + folder)
        return Written(folder)

    def read(self, name, form="pb"):
        """Reads a profile from outside: (status, bytes, standard error)."""
        tool = os.path.join(BUILD, "tests", "tools", "goprofile")
        run_ = subprocess.run([tool, str(self.pid), name, *([form] if form != "pb" else [])],
                              capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        return run_.returncode, run_.stdout, run_.stderr.decode("utf-8", "replace").strip()

    def profile(self, name):
        status, data, said = self.read(name)
        assert status == 0, f"{name}: status {status}: {said}"
        path = os.path.join(self.folder.name, "outside.pb.gz")
        with open(path, "wb") as f:
            f.write(data if data[:2] == b"\x1f\x8b" else gzip.compress(data, 1, mtime=0))
        return Profile(path)

    def text(self, name, form="text"):
        status, data, said = self.read(name, form)
        assert status == 0, f"{name} {form}: status {status}: {said}"
        return data.decode("utf-8", "replace")


class Written:
    """The profiles that the program wrote of itself."""

    def __init__(self, folder):
        self.folder = folder
        self.names = sorted(n[:-len(".pb.gz")] for n in os.listdir(folder) if n.endswith(".pb.gz"))

    def profile(self, name):
        return Profile(os.path.join(self.folder, name + ".pb.gz"))

    def text(self, name, form="text"):
        end = ".dump" if form == "dump" else ".txt"
        with open(os.path.join(self.folder, name + end), encoding="utf-8", errors="replace") as f:
            return f.read()


def serving(names):
    """Is it the stack of the goroutine that obeys the test? It differs between the profiles that
    the program writes and those that are read from outside."""
    return "main.serve" in names


def serving_text(block):
    return "main.serve" in block
