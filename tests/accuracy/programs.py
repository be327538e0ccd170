"""Unmodified programs, kept busy.

Each has two or more processes of the same program: one is frozen again and again, the other is
kept by gdb (gdb_stacks.py)."""
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import golang  # noqa: E402
from harness import Skip, at_work, free_port, listening, need, wait_for  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
NOTHING = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def children(pid):
    return [int(c) for c in open(f"/proc/{pid}/task/{pid}/children").read().split()]


class Program:
    """A command that computes; it is started again when it ends."""
    name, jit, warm = "", False, 0.4

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="accuracy-")
        os.chmod(self.folder, 0o755)
        self.processes = []
        self.prepare()
        self.keeper = self.spawn()
        self.target = self.spawn()
        time.sleep(self.warm)

    def prepare(self):
        pass

    def command(self):
        raise NotImplementedError

    def spawn(self):
        return self.start(self.command())

    def start(self, command, **options):
        process = subprocess.Popen(command, cwd=self.folder, **{**NOTHING, **options})
        self.processes.append(process)
        return process

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def keeper_pid(self):
        return self.keeper.pid

    def pids(self):
        """Returns the processes to freeze next."""
        if self.target.poll() is not None:
            self.target = self.spawn()
            at_work(self.target)  # gdb shows frames too many in the dynamic linker
        return [self.target.pid]

    def close(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Python(Program):
    name = "python3"

    def command(self):
        if not os.path.exists("/usr/bin/python3"):
            raise Skip("no /usr/bin/python3")
        return ["/usr/bin/python3", self.write("work.py", """
import json, re, zlib, hashlib
def depth(n): return depth(n - 1) if n else json.dumps({"a": [1.5, "x", None] * 20})
while True:
    text = depth(15)
    json.loads(text); re.findall(r"(a|x)+[^1]*", text * 5); sorted(str(i) for i in range(500))
    zlib.compress(text.encode() * 20); hashlib.sha256(text.encode() * 50).digest()
""")]


class Perl(Program):
    name = "perl"

    def command(self):
        return [need("perl"), "-e", r"""
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
while (1) { my %h; $h{$_ % 97} .= "x$_ " for 1 .. 500; fib(12);
  for (sort values %h) { s/(\d)x/$1/g; my @w = split / /; join ",", reverse @w } }"""]


class Bash(Program):
    name = "bash"

    def command(self):
        return [need("bash"), "-c", """
f() { local i=$1; ((i > 0)) && f $((i - 1)); [[ $i =~ ^[0-9]+$ ]]; }
while :; do f 12; a=(); for i in {1..50}; do a+=("${i/1/x}"); done; s="${a[*]}"; s=${s//x/yy}; done"""]


CPP = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct Work {
  std::map<std::string, std::vector<int>> m;
  int run(const std::string &s) {
    static const std::regex re("(a|b)*" + std::to_string(N));
    std::vector<int> v(N + 10);
    std::generate(v.begin(), v.end(), std::mt19937(N));
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 17 < b % 17; });
    m[s] = v;
    std::function<int(int)> f = [&](int x) { return x ? f(x - 1) + v[x % v.size()] : N; };
    return std::regex_match(s, re) ? f(N) : Work<N - 1>().run(s + "x");
  }
};
template <> struct Work<0> { int run(const std::string &) { return 0; } };
int main(int c, char **v) { return Work<40>().run(v[0]); }
"""


class Clang(Program):
    name, warm = "clang -O2", 1.0
    compiler = "clang"

    def command(self):
        source = self.write("work.cc", CPP)
        return [need(self.compiler), "-x", "c++", "-std=c++17", "-O2", "-c", source, "-o", "/dev/null"]


class Gcc(Clang):
    """cc1plus itself, since g++ only waits for it."""
    name = "cc1plus -O2"

    def command(self):
        source = self.write("work.cc", CPP)
        run = subprocess.run([need("g++"), "-print-prog-name=cc1plus"], capture_output=True, text=True)
        return [run.stdout.strip(), "-quiet", "-std=c++17", "-D_GNU_SOURCE", "-O2", source, "-o",
                "/dev/null", "-imultiarch", "x86_64-linux-gnu"]


class Rustc(Program):
    name, warm = "rustc -O", 1.0

    def prepare(self):
        run = subprocess.run([need("rustc"), "--print", "sysroot"], capture_output=True, text=True)
        self.rustc = os.path.join(run.stdout.strip(), "bin", "rustc")
        body = "".join(f"""
pub fn f{i}(v: &mut Vec<u64>, m: &mut HashMap<String, Vec<u64>>) -> u64 {{
    v.sort_by_key(|x| x % {i + 2}); v.dedup();
    m.entry(format!("{{}}-{{:?}}", {i}, v)).or_default().extend(v.iter().map(|x| x * {i}));
    m.values().flatten().filter(|x| **x > {i}).fold(0, |a, b| a ^ b) }}
""" for i in range(120))
        self.source = self.write("work.rs", "use std::collections::HashMap;\n" + body)

    def command(self):
        return [self.rustc, "-O", "--crate-type", "rlib", "-o",
                os.path.join(self.folder, f"x{random.random()}.rlib"), self.source]


class GdbItself(Program):
    name, warm = "gdb", 1.5

    def command(self):
        script = self.write("work.py", """
import gdb
while True:
    gdb.execute("info functions ^[a-m].*str", to_string=True)
    gdb.execute("info types .*", to_string=True)
    gdb.execute("disassemble main", to_string=True)
""")
        return [need("gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off", "-x", script,
                "/usr/bin/gdb"]


class Git(Program):
    name = "git pack-objects"

    def prepare(self):
        git = need("git")
        words = [f"word{i}" for i in range(3000)]
        lines = []
        for i in range(700):
            text = "\n".join(random.choices(words, k=1500))
            lines.append(f"blob\nmark :{i + 1}\ndata {len(text)}\n{text}\n")
        lines.append("commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 0\n")
        lines += [f"M 644 :{i + 1} f{i}\n" for i in range(700)]
        subprocess.run([git, "init", "-q", self.folder + "/r"], check=True)
        subprocess.run([git, "-C", self.folder + "/r", "fast-import", "--quiet"],
                       input="".join(lines), text=True, check=True)

    def command(self):
        return [need("git"), "-C", self.folder + "/r", "pack-objects", "-q", "--all",
                "--no-reuse-delta", "--window=200", "--depth=200", "--threads=3", "--stdout"]


class Xz(Program):
    name = "xz -T2"

    def prepare(self):
        with open(os.path.join(self.folder, "data"), "wb") as f:
            for _ in range(24):
                f.write(os.urandom(1 << 18) + b"abcdefgh" * (1 << 16))

    def command(self):
        return [need("xz"), "-9", "-k", "-c", "--block-size=4MiB", "-T2", "data"]


class Sqlite(Program):
    name = "sqlite3"

    def command(self):
        return [need("sqlite3"), ":memory:", """
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000000)
select count(distinct i % 977), sum(length(printf('%d-%s', i, hex(i)))), max(upper(i) like '%7%')
from n group by i % 13 order by 2;"""]


class Openssl(Program):
    name = "openssl speed"

    def command(self):
        return [need("openssl"), "speed", "-seconds", "600", "-evp",
                random.choice(("aes-256-gcm", "sha512", "chacha20-poly1305"))]

    def pids(self):
        if random.random() < 0.05:  # start it again with another algorithm
            self.target.kill()
            self.target.wait()
        return super().pids()


class Server(Program):
    """Two servers; one of them has clients."""

    def __init__(self):
        self.port = 0
        super().__init__()
        assert wait_for(lambda: listening(self.port)), f"{self.name} does not listen"
        self.client = self.start(self.load())
        time.sleep(0.3)

    def pids(self):
        if self.client.poll() is not None:
            self.client = self.start(self.load())
            time.sleep(0.1)
        return super().pids()


class Redis(Server):
    name = "redis-server"

    def command(self):
        self.port = free_port()
        return [need("redis-server"), "--port", str(self.port), "--save", ""]

    def load(self):
        return [need("redis-benchmark"), "-p", str(self.port), "-n", "1000000000", "-q", "-r", "10000",
                "-P", "4", "-t", "set,lpush,sadd,zadd,lrange_100,hset"]


class Nginx(Server):
    name = "nginx"

    def command(self):
        self.port = free_port()
        self.write("index.html", "<p>hello</p>" * 3000)
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind}; "
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = self.write(f"{self.port}.conf", f"""
daemon off; master_process off; pid {self.folder}/{self.port}.pid; error_log {self.folder}/log;
events {{ worker_connections 512; }}
http {{ access_log {self.folder}/access; gzip on; gzip_types text/plain; default_type text/plain;
  {temporary} server {{ listen 127.0.0.1:{self.port}; root {self.folder}; }} }}
""")
        return [need("nginx"), "-c", config, "-p", self.folder]

    def load(self):
        return [need("ab"), "-q", "-n", "1000000", "-c", "4", "-H", "Accept-Encoding: gzip",
                f"http://127.0.0.1:{self.port}/index.html"]


class Postgres(Program):
    name, warm = "postgres", 1.0

    def prepare(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))  # Debian's path
        binaries = os.path.dirname(os.path.realpath(found[-1] if found else need("postgres")))
        need("psql")
        shutil.chown(self.folder, "postgres")
        self.port, data = free_port(), os.path.join(self.folder, "data")
        self.user = {"user": "postgres"} if os.geteuid() == 0 else {}
        subprocess.run([f"{binaries}/initdb", "-D", data, "-N"], check=True, **NOTHING, **self.user)
        self.server = self.start([f"{binaries}/postgres", "-D", data, "-p", str(self.port), "-k",
                                  self.folder, "-F"], **self.user)
        self.to_server = ["-h", self.folder, "-p", str(self.port)]
        assert wait_for(lambda: listening(self.port), 20)
        # The server listens before it accepts sessions.
        tables = [f"{binaries}/pgbench", *self.to_server, "-i", "-q", "postgres"]
        assert wait_for(lambda: subprocess.run(tables, **NOTHING, **self.user).returncode == 0, 20)
        work = self.write("work.sql", "select md5(string_agg(filler || aid, ',' order by abalance)) "
                                      "from pgbench_accounts where aid % 31 = 1 group by bid;\n")
        self.start([f"{binaries}/pgbench", *self.to_server, "-c", "3", "-T", "100000", "-n", "-f",
                    work + "@3", "-b", "tpcb-like@1", "postgres"], **self.user)
        # Before its clients' sessions it has one of its own, which ends.
        assert wait_for(lambda: len(self.busy()) == 3, 20)

    def spawn(self):
        """Starts a client, and stores the process of its session."""
        before = set(children(self.server.pid))
        client = self.start([need("psql"), *self.to_server, "-c", "select pg_sleep(100000)", "postgres"],
                            **self.user)
        assert wait_for(lambda: self.busy() - before)
        self.session = (self.busy() - before).pop()
        return client

    def busy(self):
        """Returns the backends that work for a client."""
        found = set()
        for pid in children(self.server.pid):
            try:
                title = open(f"/proc/{pid}/cmdline").read()
            except OSError:
                continue
            if "[local]" in title:
                found.add(pid)
        return found

    def keeper_pid(self):
        return self.session

    def close(self):
        # A frozen backend would not notice that its server has ended.
        backends = children(self.server.pid)
        self.server.kill()
        for pid in backends:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        super().close()

    def pids(self):
        return sorted(self.busy() - {self.session})[:4]


class Go(Server):
    name = "Go server"

    def prepare(self):
        self.binary = golang.build("accuracy-server", HERE, package="server.go")

    def command(self):
        self.port = free_port()
        return [self.binary, f"127.0.0.1:{self.port}"]

    def load(self):
        return [need("ab"), "-q", "-n", "1000000", "-c", "8", f"http://127.0.0.1:{self.port}/"]


class Node(Program):
    name, jit, warm = "node", True, 1.0

    def command(self):
        return [need("node"), "-e", """
const zlib = require('zlib');
function deep(n, o) { return n ? deep(n - 1, {o}) : JSON.stringify(o); }
for (;;) { const s = deep(20, [1, 'x', null]); JSON.parse(s); s.replace(/[a-z]+/g, m => m + '1');
  Array.from({length: 300}, (_, i) => String(i)).sort(); zlib.deflateSync(s.repeat(10)); }"""]


class Java(Program):
    name, jit, warm = "java", True, 2.0

    def prepare(self):
        javac = need("javac")
        need("java")
        self.write("Work.java", """
import java.util.*;
public class Work {
  static String deep(int n, List<String> l) { if (n > 0) return deep(n - 1, l); Collections.sort(l);
    return String.join(",", l); }
  public static void main(String[] a) { Random r = new Random(1);
    for (;;) { List<String> l = new ArrayList<>();
      for (int i = 0; i < 500; i++) l.add(Integer.toString(r.nextInt(), 36));
      Map<String, Integer> m = new HashMap<>();
      for (String s : deep(20, l).split(",")) m.merge(s.substring(0, 2), 1, Integer::sum); } } }""")
        subprocess.run([javac, "Work.java"], cwd=self.folder, check=True)

    def command(self):
        return [need("java"), "-Xmx128m", "-XX:+UseSerialGC", "Work"]


# HEAVY: programs that take long to start. WITHOUT_CFI: programs that need more than CFI.
HEAVY = [Clang, Rustc, GdbItself]
WITHOUT_CFI = [Go, Node, Java]
ALL = [Python, Perl, Bash, Clang, Gcc, Rustc, GdbItself, Git, Xz, Sqlite, Openssl, Redis, Nginx,
       Postgres, Go, Node, Java]
