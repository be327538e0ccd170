"""A Go program with net/http/pprof (tests/rounds/server), built once for all who ask it."""
import os
import shutil
import subprocess
import tempfile
import urllib.request

from harness import BUILD, FIXTURES, ROOT, Skip

SOURCE = os.path.join(ROOT, "tests", "rounds", "server")


def go_program():
    usual = "/usr/local/go/bin/go"
    found = shutil.which("go") or (usual if os.path.exists(usual) else None)
    if not found:
        raise Skip("no go on this machine")
    return found


def built(stripped=False, release="local"):
    """Suites run side by side: whoever is first puts it there, by a rename."""
    path = os.path.join(FIXTURES, "pprofserver" + ("-stripped" if stripped else "") +
                        ("" if release == "local" else "-" + release))
    flags = ["-buildmode=pie", "-ldflags=-s -w"] if stripped else []
    toolchain = release if release == "local" else "go" + release
    newest = max(os.path.getmtime(os.path.join(SOURCE, name)) for name in os.listdir(SOURCE))
    if os.path.exists(path) and os.path.getmtime(path) >= newest:
        return path
    os.makedirs(FIXTURES, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FIXTURES) as folder:
        new = os.path.join(folder, "pprofserver")
        run = subprocess.run([go_program(), "build", *flags, "-o", new, "."], cwd=SOURCE, timeout=300,
                             capture_output=True, text=True,
                             env={**os.environ, "GOTOOLCHAIN": toolchain,
                                  "GODEBUG": "goindex=0" if release.startswith("1.19.") else ""})
        if run.returncode and release != "local":
            raise Skip(f"Go {release} cannot be had here: {run.stderr.strip()[-80:]}")
        assert run.returncode == 0, run.stderr
        os.rename(new, path)
    return path


class GoServer:
    """Runs it for a with block. `url` is that of its profiles."""

    def __init__(self, *arguments, env=None, program=None):
        self.process = subprocess.Popen([program or built(), *map(str, arguments)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, **(env or {})})
        self.pid = self.process.pid
        self.address = self.process.stdout.readline().strip()
        host = "socket" if self.address.startswith("/") else self.address
        self.url = f"http://{host}/debug/pprof"

    def __enter__(self):
        assert self.address, "it ended at once"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def get(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return opener.open(f"http://{self.address}{path}", timeout=30).read().decode()
