"""Real servers that profiles are pushed to, each for a with block on a port of its own, and what
their own APIs give back. tools/packages long builds them (tools/pins has their releases)."""
import collections
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

from harness import free_port, wait_for
from pins import PINS, TOOLS
from pprof import fields, message, signed, varint
from profile_maker import number, packed

FOLDED = collections.Counter


def program(name):
    path = os.path.join(TOOLS, f"{name}-{PINS[name.upper()]}")
    assert os.path.exists(path), f"no {path}: tools/packages long builds it"
    return path


def post(url, body, kind, **headers):
    request = urllib.request.Request(url, body, {"Content-Type": kind, **headers})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as e:
        raise AssertionError(f"{url}: {e.code} {e.read()[:500]!r}")


class Server:
    """A running server; `said` is what it has printed. `ready`: a path that answers 200 then."""

    def __init__(self, name, words, ready=None, **env):
        self.folder = tempfile.mkdtemp(prefix=f"sampler-{name}-")
        self.name, self.ready = name, ready
        clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        self.out = open(os.path.join(self.folder, "out"), "wb")
        self.err = open(os.path.join(self.folder, "err"), "wb")
        self.process = subprocess.Popen([program(name), *words(self.folder)], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=self.out,
                                        stderr=self.err, env={**clean, **env})

    def said(self):
        return open(self.err.name, errors="replace").read()

    def is_ready(self):
        assert self.process.poll() is None, f"{self.name} has ended: {self.said()[-2000:]}"
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return opener.open(self.url + self.ready, timeout=5).status == 200
        except OSError:
            return False

    def __enter__(self):
        assert wait_for(self.is_ready, 120), self.said()[-2000:]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.out.close()
        self.err.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Collector(Server):
    """tests/servers/collector: its exporter prints each request as JSON."""

    def __init__(self):
        http, grpc = free_port(), free_port()
        self.url, self.grpc = f"http://127.0.0.1:{http}", f"grpc://127.0.0.1:{grpc}"
        config = {"receivers": {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{http}"},
                                                       "grpc": {"endpoint": f"127.0.0.1:{grpc}"}}}},
                  "exporters": {"print": None},
                  "service": {"telemetry": {"metrics": {"level": "none"}},
                              "pipelines": {"profiles": {"receivers": ["otlp"],
                                                         "exporters": ["print"]}}}}
        super().__init__("collector", lambda folder: [
            "--config", "yaml:" + json.dumps(config),
            "--feature-gates=service.profilesSupport"])

    def is_ready(self):
        assert self.process.poll() is None, self.said()[-2000:]
        return "Everything is ready" in self.said()

    def requests(self):
        """What arrived: a list of (resource, scope, [(type, unit, period type, its unit, period,
        folded stacks)])."""
        return [self.request(json.loads(line)) for line in open(self.out.name)]

    def request(self, data):
        whole, = data["resourceProfiles"]
        scoped, = whole["scopeProfiles"]
        d = data["dictionary"]
        text = d["stringTable"]

        def plain(attributes):
            """The Collector turns the keys and texts of a resource into indexes."""
            out = {}
            for a in attributes:
                (kind, value), = a["value"].items()
                out[a["key"] if "key" in a else text[a["keyStrindex"]]] = \
                    text[value] if kind == "stringValueStrindex" else value
            return out

        def names(location):
            l = d["locationTable"][location]
            functions = [d["functionTable"][x.get("functionIndex", 0)] for x in l.get("lines", [])]
            return [text[f.get("nameStrindex", 0)] for f in functions]

        stacks = [tuple(n for l in s.get("locationIndices", []) for n in names(l))
                  for s in d["stackTable"]]

        def profile(p):
            kind = [text[p.get(t, {}).get(f + "Strindex", 0)] for t in ("sampleType", "periodType")
                    for f in ("type", "unit")]
            folded = FOLDED()
            for s in p.get("samples", []):
                folded[stacks[s.get("stackIndex", 0)]] += sum(map(int, s["values"]))
            return (*kind, int(p.get("period", 0)), folded)

        return (plain(whole["resource"].get("attributes", [])),
                plain(scoped["scope"].get("attributes", [])),
                [profile(p) for p in scoped["profiles"]])


def folded(profile, index):
    """{names of a stack, leaf first: value} of pprof.Profile."""
    out = FOLDED()
    for s in profile.samples:
        out[tuple(s["names"])] += s["values"][index]
    return nonzero(out)


def nonzero(counts):
    return FOLDED({k: v for k, v in counts.items() if v})


class Pyroscope(Server):
    def __init__(self):
        http, grpc, gossip = free_port(), free_port(), free_port()
        self.url, self.grpc = f"http://127.0.0.1:{http}", f"grpc://127.0.0.1:{http}"
        super().__init__("pyroscope", lambda folder: [
            f"-server.http-listen-port={http}", "-server.http-listen-address=127.0.0.1",
            f"-server.grpc-listen-port={grpc}", "-server.grpc-listen-address=127.0.0.1",
            f"-memberlist.bind-port={gossip}", "-memberlist.bind-addr=127.0.0.1",
            "-memberlist.advertise-addr=127.0.0.1", *[f"-{part}=127.0.0.1" for part in (
                "compactor.ring.instance-addr", "distributor.ring.instance-addr",
                "ingester.lifecycler.addr", "overrides-exporter.ring.instance-addr",
                "query-frontend.instance-addr", "query-scheduler.ring.instance-addr",
                "store-gateway.sharding-ring.instance-addr")],
            "-self-profiling.disable-push",
            "-usage-stats.enabled=false", f"-pyroscopedb.data-path={folder}/db",
            f"-storage.filesystem.dir={folder}/store", "-storage.backend=filesystem"], "/ready")

    def ask(self, method, **request):
        answer = post(f"{self.url}/querier.v1.QuerierService/{method}",
                      json.dumps(request).encode(), "application/json")
        return json.loads(answer)

    def types(self, start, end):
        return {t["ID"] for t in self.ask("ProfileTypes", start=start, end=end)["profileTypes"]}

    def series(self, start, end, *matchers):
        answer = self.ask("Series", start=start, end=end, matchers=matchers)
        return [{l["name"]: l["value"] for l in s["labels"]} for s in answer.get("labelsSet", [])]

    def folded(self, kind, selector, start, end):
        p = self.ask("SelectMergeProfile", profileTypeID=kind, labelSelector=selector, start=start,
                     end=end, maxNodes=1 << 20)
        text = p["stringTable"]
        functions = {f["id"]: text[int(f.get("name", 0))] for f in p.get("function", [])}
        locations = {l["id"]: [functions[x["functionId"]] for x in l.get("line", [])]
                     for l in p.get("location", [])}
        out = FOLDED()
        for s in p.get("sample", []):
            out[tuple(n for l in s.get("locationId", []) for n in locations[l])] += int(s["value"][0])
        return nonzero(out)


class Parca(Server):
    def __init__(self):
        port = free_port()
        self.url, self.grpc = f"http://127.0.0.1:{port}", f"grpc://127.0.0.1:{port}"

        def words(folder):
            with open(os.path.join(folder, "parca.yaml"), "w") as f:
                json.dump({"object_storage": {"bucket": {
                    "type": "FILESYSTEM", "config": {"directory": f"{folder}/data"}}}}, f)
            return [f"--config-path={folder}/parca.yaml", f"--http-address=127.0.0.1:{port}",
                    f"--debuginfo-cache-dir={folder}", "--debuginfod-upstream-servers="]
        super().__init__("parca", words, "/ready")

    def call(self, service, method, request):
        """By gRPC-Web; the messages of the answer."""
        body = b"\0" + len(request).to_bytes(4, "big") + request
        answer = post(f"{self.url}/api/{service}/{method}", body, "application/grpc-web+proto",
                      **{"X-Grpc-Web": "1"})
        content, trailers = [], b""
        while answer:
            size = int.from_bytes(answer[1:5], "big")
            if answer[0] & 0x80:
                trailers += answer[5:5 + size]
            else:
                content.append(answer[5:5 + size])
            answer = answer[5 + size:]
        assert re.search(rb"(?i)grpc-status: *0\r", trailers + b"\r"), trailers
        return content

    def query(self, method, request):
        return self.call("parca.query.v1alpha1.QueryService", method, request)[0]

    @staticmethod
    def moment(field, ms):
        return packed(field, number(1, ms // 1000) + number(2, ms % 1000 * 1000000))

    def types(self, start, end):
        answer = self.query("ProfileTypes", self.moment(1, start) + self.moment(2, end))
        found = set()
        for _, raw in fields(answer):
            t = message(raw)
            found.add(":".join(t[i].decode() for i in range(1, 6)) + ":delta" * t.get(6, 0))
        return found

    def values(self, label, start, end):
        answer = self.query("Values", packed(1, label.encode()) + self.moment(3, start) +
                            self.moment(4, end))
        return {value.decode() for field, value in fields(answer) if field == 1}

    def folded(self, kind, selector, start, end):
        merge = packed(1, (kind + selector).encode()) + self.moment(2, start) + self.moment(3, end)
        answer = self.query("Query", number(1, 2) + packed(3, merge) + number(5, 1))
        raw = next(value for field, value in fields(answer) if field == 6)
        return folded_pprof(gzip.decompress(raw))


def folded_pprof(raw):
    top = message(raw, repeated=(1, 2, 3, 4, 5, 6))
    text = [s.decode() for s in top[6]]
    functions = {f[1]: text[f.get(2, 0)] for f in map(message, top[5])}
    locations = {}
    for raw in top[4]:
        l = message(raw, repeated=(4,))
        locations[l[1]] = [functions.get(message(x).get(1), "") for x in l[4]]
    out = FOLDED()
    for raw in top[2]:
        ids, values = [], []
        for field, value in fields(raw):
            if field in (1, 2):
                found = [value] if isinstance(value, int) else list(all_numbers(value))
                (ids if field == 1 else values).extend(found)
        out[tuple(n for i in ids for n in locations[i])] += signed(values[0])
    return nonzero(out)


def all_numbers(data):
    at = 0
    while at < len(data):
        n, at = varint(data, at)
        yield n
