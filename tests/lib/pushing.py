"""A server that receives what is pushed and answers well or badly, and tests/tools/push.c, which
pushes. For the tests of rounds/push/push.h."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from urllib.parse import parse_qsl

from harness import BUILD, wait_for
from httpserver import Listener

PUSH = os.path.join(BUILD, "tests", "tools", "push")
START, END = 1763749234000000001, 1763749294500000000
US = "\x1f"


class Server(Listener):
    """Reads whole requests and answers each with the next of `answers`, the last one repeatedly.
    An answer is bytes, None (closes without an answer), or an event to wait for before a 200."""

    def __init__(self, *answers, path=None, listens=True):
        self.answers, self.requests = list(answers or [ok()]), []
        super().__init__(socket.AF_UNIX if path else socket.AF_INET, path or ("127.0.0.1", 0), listens)
        self.url = f"http://127.0.0.1:{self.port}"

    def take(self, connection):
        """Serves one after the other, so that answers are in the order of requests."""
        with connection:
            self.one(connection)

    def one(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        request, body = Request(head), bytearray(body)  # which grows in place
        while len(body) < request.length:
            more = connection.recv(65536)
            if not more:
                return
            body += more
        request.body = bytes(body)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.requests.append(request)
        if isinstance(answer, threading.Event):
            answer.wait(20)
            answer = ok()
        if answer:
            try:
                connection.sendall(answer)
            except OSError:
                pass


class Request:
    def __init__(self, head):
        lines = head.decode().split("\r\n")
        self.method, self.target, self.version = lines[0].split(" ")
        self.path, _, self.query = self.target.partition("?")
        self.headers = [tuple(line.split(": ", 1)) for line in lines[1:]]
        self.length = int(self.header("Content-Length"))

    def header(self, name):
        found = [v for k, v in self.headers if k.lower() == name.lower()]
        assert len(found) <= 1, self.headers
        return found[0] if found else None

    def boundary(self):
        return re.fullmatch(r"multipart/form-data; boundary=([0-9a-f]{32})",
                            self.header("Content-Type")).group(1)

    def fields(self):
        """The fields of the query, each of which must be there once."""
        pairs = parse_qsl(self.query, keep_blank_values=True, strict_parsing=True)
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    def must_be_plain(self, port, *more):
        """Checks that its head has what it must have and nothing else."""
        names = ["Host", "User-Agent", "Accept", "Accept-Encoding", *more, "Content-Type",
                 "Content-Length"]
        assert [k for k, _ in self.headers] == names, self.headers
        assert self.method == "POST" and self.version == "HTTP/1.1", self.method
        assert self.header("Host") == f"127.0.0.1:{port}", self.headers
        assert self.length == len(self.body)


def answer(status, *headers, body=b""):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def ok():
    return answer("200 OK")


def part(name, file, content, kind="application/octet-stream"):
    return (f'Content-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
            f"Content-Type: {kind}\r\n\r\n").encode() + content


def form(boundary, *parts):
    b = boundary.encode()
    return b"--" + b + b"\r\n" + (b"\r\n--" + b + b"\r\n").join(parts) + b"\r\n--" + b + b"--\r\n"


TYPES = {"cpu": "cpu", "wall": "wall", "heap": "heap", "allocs": "allocs", "inuse": "inuse",
         "alloc": "alloc", "block": "block", "mutex": "mutex", "goroutines": "goroutine",
         "goroutineswait": "goroutinewait", "go": "trace", "metrics": "metrics"}


class Batch:
    """A folder with files in it. A name that ends with "!" is a delta that is written whole."""

    def __init__(self, *files, sequence=7, command="redis", host="h1", pid=42, tags=(), skip=(),
                 attributes=()):
        self.path = tempfile.mkdtemp(prefix="sampler-push-")
        self.contents, fields = {}, []
        for name in files:
            name, whole = name.rstrip("!"), name.endswith("!")
            # Bytes of all kinds, and a sequence that looks like the end of a part.
            self.contents[name] = (b"\x1f\x8b\r\n--" + os.urandom(40) + b"\0\r\n" +
                                   name.encode()) * 3
            with open(os.path.join(self.path, name), "wb") as f:
                f.write(self.contents[name])
            kind = "delta" if name.startswith("delta-") else "file"
            base = name.replace("delta-", "").split(".")[0]
            fields.append(US.join([kind, TYPES.get(base, "custom"), name,
                                   "the first: whole" if whole else ""]))
        fields += [US.join(["skip", kind, "it did not come"]) for kind in skip]
        fields += [US.join(["tag", key, value]) for key, value in tags]
        fields += [US.join(["attribute", key, value]) for key, value in attributes]
        self.line = "\t".join(["add", self.path, str(sequence), str(START), str(END), str(pid),
                               command, host, *fields])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


class Push:
    def __init__(self, target, *words, env=None):
        clean = {k: v for k, v in os.environ.items()
                 if not k.lower().endswith("_proxy") and not k.startswith(("PYROSCOPE", "DD_", "OTEL_"))}
        clean.update(env or {})
        self.process = subprocess.Popen([PUSH, target, *words], stdin=subprocess.PIPE, env=clean,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)
        err = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        assert err == "", err

    def __call__(self, *commands):
        """Sends the commands and returns the answer to the last of them."""
        for command in commands:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
            lines = []
            while not lines or lines[-1] != "ok":
                line = self.process.stdout.readline().decode()
                assert line, f"it has ended: {lines}"
                self.said += line
                lines.append(line.rstrip("\n"))
        return lines[:-1]

    def until(self, condition):
        """Continues until the condition is true."""
        assert wait_for(lambda: self("turn 10") is not None and condition(), 60), self.said

    def stats(self):
        line = [x for x in self("stats") if x.startswith("stats ")][0]
        numbers = [int(n) for n in line.split(" ")[1:6]]
        self.error = line.split(" ", 6)[6]
        return dict(zip(("sent", "failed", "dropped", "refused", "waiting"), numbers))

    def news(self):
        return [line[5:] for line in self.said.splitlines() if line.startswith("news ")]

    def children(self):
        """The processes that send: one or none."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [int(pid) for pid in open(path).read().split()]

    def child(self):
        """The process that sends; there must be one."""
        assert wait_for(self.children)
        return self.children()[0]
