"""A Go program with net/http/pprof (tests/rounds/server), built once for all tests."""
import os
import subprocess
import urllib.request

from golang import ROOT, build

SOURCE = os.path.join(ROOT, "tests", "rounds", "server")


def built(stripped=False, release="local"):
    flags = ["-buildmode=pie", "-ldflags=-s -w"] if stripped else []
    name = "pprofserver" + "-stripped" * stripped + f"-{release}" * (release != "local")
    return build(name, SOURCE, *flags, release=release)


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
