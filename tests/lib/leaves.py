"""Which function a CPU's user code was in, by `perf record -e cpu-clock` and by sampler, with names that
are made alike, and how far two such distributions are from each other.

perf stores the registers of user code with each sample (--user-regs), those saved at the kernel's entry
if the CPU was in the kernel: the address is that of the leaf frame of user code, as in sampler's stacks.
Both addresses are named here by the same tables of the file itself, its .eh_frame_hdr and its symbols,
not by perf or sampler. A function is the place where it begins; a part that a compiler has split off is a
function of its own, for both. Code that is in no file, and the loops of interpreters in whose place
sampler shows the interpreted function, are one place: RUNTIME."""
import bisect
import collections
import os
import random
import re
import struct
import subprocess

from pprof import Profile

RUNTIME, NOT_SAMPLED = ("[runtime]", 0), ("[not sampled]", 0)
# Loops of interpreters, and V8's handlers of bytecode.
LOOPS = re.compile(r"^(_PyEval_EvalFrameDefault|execute_ex|vm_exec_core|Builtins_\w+)(\.|$)")
# Ruby's loop has no symbol in Debian's library. It is the largest function near its only caller.
RUBYS_CALLER, NEAR = "rb_vm_exec", 1 << 17
ALSO_MADE_BY = {"recvfrom": ("recv",), "sendto": ("send",)}
PT_LOAD, PT_GNU_EH_FRAME, SHT_SYMTAB, SHT_DYNSYM, STT_FUNC = 1, 0x6474e550, 2, 11, 2


class Functions:
    """Where the functions of an ELF file begin, by addresses of the file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        assert self.bytes[:5] == b"\x7fELF\x02", path
        self.loads, self.names, starts = [], {}, set()
        table = struct.unpack_from("<QQ", self.bytes, 32)
        phsize, phnum, shsize, shnum, _ = struct.unpack_from("<5H", self.bytes, 54)
        for at in range(table[0], table[0] + phsize * phnum, phsize):
            kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", self.bytes, at)
            if kind == PT_LOAD:
                self.loads.append((offset, offset + size, address - offset))
            elif kind == PT_GNU_EH_FRAME:
                starts |= self.frames(offset, address)
        sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, at)
                    for at in range(table[1], table[1] + shsize * shnum, shsize)]
        for section in sections:
            if section[1] in (SHT_SYMTAB, SHT_DYNSYM):
                self.symbols(section[4], section[5], sections[section[6]][4])
        self.starts = sorted(starts | set(self.names))
        self.loops = {s for s, name in self.names.items() if LOOPS.match(name)}
        caller = next((s for s, name in self.names.items() if name == RUBYS_CALLER), None)
        if caller and not self.loops:
            near = [(b - a, a) for a, b in zip(self.starts, self.starts[1:]) if abs(a - caller) < NEAR]
            self.loops.add(max(near)[1])
        del self.bytes

    def frames(self, offset, address):
        """The sorted table of .eh_frame_hdr (LSB 5.0, 10.6.2), as GNU ld, gold and lld write it."""
        version, _, count, kind = self.bytes[offset:offset + 4]
        if (version, count, kind) != (1, 3, 0x3b):
            return set()
        n, = struct.unpack_from("<I", self.bytes, offset + 8)
        return {address + first for first, _ in struct.iter_unpack("<ii", self.bytes[offset + 12:][:8 * n])}

    def symbols(self, offset, size, strings):
        for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", self.bytes[offset:offset + size]):
            if info & 15 == STT_FUNC and section and value:
                begin = strings + name
                self.names.setdefault(value, self.bytes[begin:self.bytes.index(0, begin)].decode("utf-8", "replace"))

    def start(self, offset):
        """Of the function at an offset in the file."""
        address = next((offset + add for first, end, add in self.loads if first <= offset < end), offset)
        at = bisect.bisect_right(self.starts, address)
        return self.starts[at - 1] if at else 0


class Places:
    """Names addresses. The maps of a process are read when it is first met or `look` is called."""

    def __init__(self):
        self.files, self.maps, self.met = {}, {}, collections.Counter()  # met: by perf

    def look(self, pids):
        for pid in pids:
            self.maps[pid] = []
            try:
                lines = open(f"/proc/{pid}/maps", errors="replace").read().splitlines()
            except OSError:
                continue  # it has ended
            for line in lines:
                spread, rights, offset, _, inode, *path = line.split(maxsplit=5)
                if "x" in rights:
                    first, end = (int(x, 16) for x in spread.split("-"))
                    self.maps[pid].append((first, end, int(offset, 16), path[0] if path else ""))

    def at(self, pid, address):
        for first, end, offset, path in self.maps.get(pid, ()):
            if first <= address < end:
                return self.place(path, address - first + offset)
        return RUNTIME

    def place(self, path, offset):
        if path == "[vdso]":
            return path, 0
        if not path.startswith("/") or path.startswith(("//", "/memfd:", "/dev/zero", "/SYSV")):
            return RUNTIME
        path = path.removesuffix(" (deleted)")
        if path not in self.files:
            self.files[path] = Functions(path)
        functions = self.files[path]
        start = functions.start(offset)
        return RUNTIME if start in functions.loops else (path, start)

    def of_call(self, call):
        """libc's function that makes a system call, as of a sample that is "[close]" alone: whichever perf
        has met most often. recv(2) makes recvfrom, and some programs make a call by syscall(2), as libuv
        its close."""
        makers = [self.in_libc(name) for name in (call, *ALSO_MADE_BY.get(call, ()), "syscall")]
        return max(makers, key=lambda place: self.met[place] if place != RUNTIME else -1)

    def in_libc(self, call):
        wanted = [f"{before}{call}{after}" for after in ("", "64")
                  for before in ("", "__", "__libc_", "__GI_", "__GI___", "__GI___libc_")]
        for path, functions in self.files.items():
            if os.path.basename(path).startswith(("libc.so", "libc-", "ld-musl")):
                starts = {name: start for start, name in functions.names.items()}
                found = next((starts[name] for name in wanted if name in starts), None)
                return (path, found) if found is not None else RUNTIME
        return RUNTIME

    def name(self, place):
        path, start = place
        if path not in self.files:
            return path
        return self.files[path].names.get(start) or f"{os.path.basename(path)}!{start:#x}"


def of_perf(data, places, pids):
    """A list of places, one for each sample of these processes in a file of perf record."""
    text = subprocess.run(["perf", "script", "-i", data, "-F", "pid,uregs"], capture_output=True, text=True,
                          errors="replace").stdout
    found = []
    for pid, address in re.findall(r"(?m)^\s*(\d+)\s+ABI:[12]\s+IP:0x([0-9a-f]+)", text):
        if int(pid) in pids:
            found.append(places.at(int(pid), int(address, 16)))
    places.met.update(found)
    return found


def of_sampler(profile, places):
    """{place: (samples, CPU time in ns)} of a profile."""
    found = collections.defaultdict(lambda: [0, 0])
    for s in sorted(profile.samples, key=lambda s: s["names"][0].startswith("[")):  # calls last
        leaf = s["locations"][0]
        mapping = profile.mappings.get(leaf["mapping"])
        if s["names"] == ["[not sampled]"]:
            place = NOT_SAMPLED
        elif not mapping:
            call = re.fullmatch(r"\[([a-z0-9_]+)\]", s["names"][0])
            place = places.of_call(call[1]) if call and len(s["names"]) == 1 else RUNTIME
        else:
            place = places.place(mapping["file"], leaf["address"] - mapping["start"] + mapping["offset"])
        found[place][0] += s["values"][0]
        found[place][1] += s["values"][1]
    return dict(found)


def normal(weights):
    whole = sum(weights.values())
    return {place: w / whole for place, w in weights.items()}


def distance(a, b):
    """The total variation distance of two distributions."""
    return sum(abs(a.get(p, 0) - b.get(p, 0)) for p in {*a, *b}) / 2


class Comparison:
    """Of sampler's shares of CPU time with those of two runs of perf. Chance alone keeps two samples of one
    distribution apart, the more the fewer they are. So as many are drawn of each as count: sampler's
    are worth (sum of weights)^2 / (sum of squares) of equal weight. `ours` and `theirs` are means over
    the draws; places that have less than SMALL everywhere are one."""

    DRAWS, SMALL = 25, 0.002

    def __init__(self, sampler, perf_a, perf_b, seed=1):
        # As if the samples of a place had equal weights: a profile has their sum.
        sampled = {p: v for p, v in sampler.items() if p != NOT_SAMPLED and v[0]}
        self.samples = sum(count for count, _ in sampled.values())
        whole = sum(ns for _, ns in sampler.values())
        self.left_out = sampler.get(NOT_SAMPLED, (0, 0))[1] / whole if whole else 0
        self.shares = normal({p: ns for p, (_, ns) in sampled.items()})
        self.perf = normal(collections.Counter(perf_a + perf_b))
        self.perf_samples = len(perf_a), len(perf_b)
        squares = sum(self.shares[p] ** 2 / count for p, (count, _) in sampled.items())
        self.worth = n = int(min(1 / squares, *self.perf_samples))
        self.small = {p for p in {*self.shares, *self.perf}
                      if max(self.shares.get(p, 0), self.perf.get(p, 0)) < self.SMALL}
        random_ = random.Random(seed)
        places, weights = list(self.shares), list(self.shares.values())
        ours, theirs = [], []
        for _ in range(self.DRAWS):
            a, b = (self.counted(random_.sample(x, n)) for x in (perf_a, perf_b))
            s = self.merged(self.shares) if n >= 0.98 / squares else self.counted(
                random_.choices(places, weights, k=n))
            ours += [distance(s, a), distance(s, b)]
            theirs.append(distance(a, b))
        self.ours, self.theirs = sum(ours) / len(ours), sum(theirs) / len(theirs)

    def merged(self, shares):
        out = collections.Counter()
        for place, share in shares.items():
            out["others" if place in self.small else place] += share
        return out

    def counted(self, found):
        return normal(self.merged(collections.Counter(found)))

    @property
    def excess(self):
        return self.ours - self.theirs

    def __str__(self):
        return (f"distance {self.ours:.3f}, of two runs of perf {self.theirs:.3f}; {self.samples} samples, "
                f"perf {self.perf_samples[0]} and {self.perf_samples[1]}, {self.worth} of each compared"
                + f"; {100 * self.left_out:.1f} % of the time not sampled" * (self.left_out > 0.001))

    def table(self, places, rows=8):
        """The places that differ most."""
        worst = sorted({*self.shares, *self.perf}, key=lambda p: -abs(self.shares.get(p, 0) - self.perf.get(p, 0)))
        return "\n".join(f"{100 * self.shares.get(p, 0):6.1f} %, perf {100 * self.perf.get(p, 0):5.1f} %  "
                         f"{places.name(p)}" for p in worst[:rows])
