"""Programs under load, each for a with block: servers of the distribution with their clients, and
tests/fixtures/ring. `pids()` are the processes to sample, without the clients. One that needs a package of
`tools/packages long` says so."""
import glob
import os
import shutil
import signal
import subprocess
import tempfile

import golang
from harness import Running, cpu_ns, fixture, free_port, listening, need, wait_for

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
ACCURACY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "accuracy")


def tree(pid):
    """A process and all that it has made, without ended ones."""
    found = [pid]
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            for child in open(f"/proc/{pid}/task/{tid}/children").read().split():
                found += tree(int(child))
        except FileNotFoundError:
            pass
    return found


class Load:
    """A server and its clients, in a folder of their own. `command` starts the server, `client` a
    client, which is started anew when it ends."""

    user = None       # who the server is, if we are root
    seconds = 30      # until it listens
    warm = 0.3        # seconds of CPU time until it is sampled

    def __init__(self, *options):
        self.options = options
        self.processes, self.port = [], free_port()

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sampler-load-")
        os.chmod(self.folder, 0o755)
        if self.user and os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        try:
            self.prepare()
            self.server = self.start(*self.command(), **self.as_user())
            assert wait_for(self.is_ready, self.seconds), f"{type(self).__name__} is not ready"
            self.before_load()
            for command in self.clients():
                # A shell that starts it again: none of them runs without end.
                self.start("sh", "-c", 'while "$@"; do :; done', "sh", *command, start_new_session=False)
            self.warm_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Clients before servers, and parents before children, which they would start again.
        for process in reversed(self.processes):
            for pid in tree(process.pid) if process.poll() is None else []:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def as_user(self):
        return {"user": self.user, "group": self.user} if self.user and os.geteuid() == 0 else {}

    def start(self, *command, **options):
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, **{**QUIET, **options})
        self.processes.append(process)
        return process

    def run(self, *command, seconds=60):
        done = subprocess.run(list(map(str, command)), cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=seconds, **self.as_user())
        return done.returncode == 0

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def prepare(self):
        pass

    def before_load(self):
        pass

    def is_ready(self):
        return self.server.poll() is None and listening(self.port)

    def warm_up(self):
        assert wait_for(lambda: sum(map(used_ns, self.all())) > 1e9 * self.warm, 60), \
            f"{type(self).__name__} has no load"

    def all(self):
        return tree(self.server.pid)

    def pids(self):
        """Those that work."""
        return [pid for pid in self.all() if used_ns(pid) > 5e6]

    def ab(self, *options, path=""):
        # It takes memory for all requests at once.
        return [[need("ab"), "-q", "-n", "500000", "-c", "8", *options, f"http://127.0.0.1:{self.port}/{path}"]]


def used_ns(pid):
    try:
        return cpu_ns(pid)
    except OSError:
        return 0  # it has ended


class Ring(Running):
    """tests/fixtures/ring, with the account of its parts since `begin`, in ns."""

    def __init__(self, *arguments, **options):
        super().__init__(fixture("ring"), *map(str, arguments), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, **options)

    def pids(self):
        return [self.pid]

    def begin(self):
        self.process.send_signal(signal.SIGUSR1)
        assert self.process.stdout.readline() == "begun\n"

    def account(self):
        self.process.terminate()
        words = self.process.communicate(timeout=60)[0].split()
        return dict(zip(words[::2], map(int, words[1::2])))


class Redis(Load):
    """Redis("-P", "16") is pipelined."""

    def command(self):
        return [need("redis-server"), "--port", self.port, "--save", ""]

    def clients(self):
        return [[need("redis-benchmark"), "-p", self.port, "-q", "-n", "100000000", "-c", "20", "-t", "get",
                 *self.options]]


class Postgres(Load):
    """Postgres(clients, *options of pgbench)"""

    user = "postgres"

    def prepare(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))  # Debian's path
        self.at = os.path.dirname(os.path.realpath(found[-1] if found else need("postgres")))
        assert self.run(f"{self.at}/initdb", "-D", "data", "-N")

    def command(self):
        return [f"{self.at}/postgres", "-D", "data", "-p", self.port, "-k", self.folder, "-F"]

    def bench(self, *options):
        return [f"{self.at}/pgbench", "-h", self.folder, "-p", self.port, *options, "postgres"]

    def before_load(self):
        # It listens before it accepts sessions.
        assert wait_for(lambda: self.run(*self.bench("-i", "-q", "-s", "5")), 30)

    def clients(self):
        clients, *options = self.options
        return [["runuser", "-u", self.user, "--"] * (os.geteuid() == 0) +
                self.bench("-n", "-c", clients, "-j", "2", "-T", "10000", *options)]

    def warm_up(self):
        super().warm_up()
        assert wait_for(lambda: len(self.pids()) >= int(self.options[0]), 30)


class Mariadb(Load):
    user = "mysql"

    def prepare(self):
        assert shutil.which("mariadbd", path="/usr/sbin:/usr/bin"), \
            "no mariadbd here: tools/packages long installs it"
        os.makedirs(f"{self.folder}/data")
        if os.geteuid() == 0:
            shutil.chown(f"{self.folder}/data", self.user)
        assert self.run("mariadb-install-db", "--no-defaults", f"--datadir={self.folder}/data",
                        "--auth-root-authentication-method=normal", "--skip-test-db", seconds=120)

    def command(self):
        return [shutil.which("mariadbd", path="/usr/sbin:/usr/bin"), "--no-defaults", f"--datadir={self.folder}/data",
                f"--socket={self.folder}/socket", f"--port={self.port}", "--bind-address=127.0.0.1",
                "--innodb-flush-log-at-trx-commit=0"]

    def clients(self):
        return [["mariadb-slap", "--no-defaults", f"--socket={self.folder}/socket", "-u", "root",
                 "--auto-generate-sql", "--auto-generate-sql-load-type=mixed", "--concurrency=8",
                 "--auto-generate-sql-execute-number=100000", "--iterations=1"]]


class Memcached(Load):
    def command(self):
        assert shutil.which("memcached"), "no memcached here: tools/packages long installs it"
        return ["memcached", "-l", "127.0.0.1", "-p", self.port, *(["-u", "nobody"] * (os.geteuid() == 0))]

    def clients(self):
        assert shutil.which("memcslap"), "no memcslap here: tools/packages long installs it"
        return [["memcslap", f"--servers=127.0.0.1:{self.port}", "--concurrency=8", "--execute-number=100000",
                 "--test=get"]]


class Nginx(Load):
    """Nginx("-k") keeps connections open."""

    LOCATION = "location / { root %(folder)s; }"

    def command(self):
        self.write("index.html", "<p>hello</p>" * 300)
        places = "".join(f"{kind}_temp_path {self.folder}/{kind}; "
                         for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        location = self.LOCATION % {"folder": self.folder}
        config = self.write("nginx.conf", f"""
user root; daemon off; worker_processes 4; pid {self.folder}/pid; error_log {self.folder}/log;
events {{ worker_connections 512; }}
http {{ access_log off; {places} keepalive_requests 1000000;
  server {{ listen 127.0.0.1:{self.port} reuseport; {location} }} }}
""")
        return [need("nginx"), "-c", config, "-p", self.folder]

    def clients(self):
        return self.ab(*self.options, path="index.html")


class Fpm(Nginx):
    """php-fpm with four workers behind nginx, of which only php-fpm is sampled."""

    LOCATION = """location / { fastcgi_pass unix:%(folder)s/fpm; fastcgi_param REQUEST_METHOD GET;
        fastcgi_param SCRIPT_FILENAME %(folder)s/work.php; }"""

    def prepare(self):
        found = sorted(glob.glob("/usr/sbin/php-fpm*")) or [need("php-fpm")]
        self.write("work.php", """<?php
function part($n) { $s = []; for ($i = 0; $i < $n; $i++) $s[] = md5("x$i"); sort($s); return $s; }
echo json_encode(part(200));
""")
        config = self.write("fpm.conf", f"""
[global]
error_log = {self.folder}/fpm.log
daemonize = no
[www]
{"user = www-data" if os.geteuid() == 0 else ""}
listen = {self.folder}/fpm
listen.mode = 0666
pm = static
pm.max_children = 4
""")
        self.fpm = self.start(found[-1], "-F", "-y", config)
        assert wait_for(lambda: os.path.exists(f"{self.folder}/fpm"))

    def all(self):
        return tree(self.fpm.pid)


class Node(Load):
    warm = 3           # most of it is compiled by then

    def command(self):
        return [need("node"), "-e", f"""
const http = require('http');
http.createServer((q, a) => a.end(JSON.stringify({{url: q.url, headers: q.headers,
  list: Array.from({{length: 50}}, (_, i) => i * 7 % 13).sort()}}))).listen({self.port}, '127.0.0.1');"""]

    def clients(self):
        return self.ab("-k")


class Asyncio(Load):
    """An echo server. A command of redis's protocol is an answer of it, too, so its client can measure it."""

    def command(self):
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else need("python3")
        return [python, "-c", f"""
import asyncio
async def serve(reader, writer):
    while data := await reader.read(4096):
        writer.write(data)
        await writer.drain()
async def main():
    await (await asyncio.start_server(serve, "127.0.0.1", {self.port})).serve_forever()
asyncio.run(main())"""]

    def clients(self):
        return [[need("redis-benchmark"), "-p", self.port, "-q", "-n", "100000000", "-c", "20", "-t", "ping_mbulk"]]


class Gunicorn(Load):
    def command(self):
        assert shutil.which("gunicorn"), "no gunicorn here: tools/packages long installs it"
        self.write("work.py", """
import json
def app(environ, start_response):
    body = json.dumps({k: str(v) for k, v in environ.items()}).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
""")
        return ["/usr/bin/python3", shutil.which("gunicorn"), "-w", "2", "-b", f"127.0.0.1:{self.port}", "work:app"]

    def pids(self):
        """The master listens before there are workers."""
        assert wait_for(lambda: len(super(Gunicorn, self).pids()) >= 3, 50)
        return super().pids()

    def clients(self):
        return self.ab()


class Puma(Load):
    def command(self):
        assert shutil.which("puma"), "no puma here: tools/packages long installs it"
        config = self.write("config.ru", """
run lambda { |env| body = (1..50).map { |i| i.to_s * 3 }.sort.join(",") + env["PATH_INFO"]
  [200, {"Content-Type" => "text/plain", "Content-Length" => body.bytesize.to_s}, [body]] }
""")
        return [shutil.which("puma"), "-q", "-t", "4:4", "-b", f"tcp://127.0.0.1:{self.port}", config]

    def clients(self):
        return self.ab("-k")


class Jdk(Load):
    warm = 3           # most of it is compiled by then

    def command(self):
        source = self.write("Work.java", """
import com.sun.net.httpserver.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
public class Work {
  public static void main(String[] a) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])), 100);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext("/", x -> {
      List<String> l = new ArrayList<>();
      for (int i = 0; i < 100; i++) l.add(Integer.toString(i * 7919 % 1000, 36));
      Collections.sort(l);
      byte[] body = String.join(",", l).getBytes();
      x.sendResponseHeaders(200, body.length);
      x.getResponseBody().write(body);
      x.close();
    });
    server.start();
  }
}
""")
        need("javac")
        # Without "nodelay" each answer waits for a delayed acknowledgement, 40 ms.
        return [need("java"), "-Xmx128m", "-XX:+UseSerialGC", "-Dsun.net.httpserver.nodelay=true", source, self.port]

    def clients(self):
        return self.ab("-k")


class Go(Load):
    def prepare(self):
        self.binary = golang.build("accuracy-server", ACCURACY, package="server.go")

    def command(self):
        return [self.binary, f"127.0.0.1:{self.port}"]

    def clients(self):
        return self.ab("-k")
