"""A copy of a Go process that executes nothing, so that a test may change its file and memory.

The donor is a running program (not PIE, no cgo). Its file is copied. The end of the copy's text is
overwritten with code that maps what the donor has mapped and then waits for ever, and the entry
point is moved there. Then the contents of the donor's writable memory are written to the copy. So
the runtime's tables are those of a live process and complete, and no code runs that changes could
break.
"""
import os
import signal
import struct
import subprocess
import time

from harness import wait_for

CODE_BYTES = 8192
PAGE = 4096


def regions(pid):
    """(start, end, flags, path) of each mapping."""
    out = []
    for line in open(f"/proc/{pid}/maps"):
        words = line.split(None, 5)
        start, end = (int(x, 16) for x in words[0].split("-"))
        out.append((start, end, words[1], words[5].strip() if len(words) > 5 else ""))
    return out


def map_here(start, size):
    """mmap(start, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
    MAP_NORESERVE, -1, 0)"""
    return (b"\xb8\x09\0\0\0" + b"\x48\xbf" + struct.pack("<Q", start) + b"\x48\xbe" +
            struct.pack("<Q", size) + b"\xba\x03\0\0\0" + b"\x41\xba\x32\x40\0\0" +
            b"\x49\xc7\xc0\xff\xff\xff\xff" + b"\x45\x31\xc9" + b"\x0f\x05")


WAIT = b"\xb8\x22\0\0\0\x0f\x05\xeb\xf7"  # pause(), again and again


class Elf:
    """What a test needs of an ELF file: segments, sections, symbols."""

    def __init__(self, data):
        self.data = data
        self.entry, phoff, shoff = struct.unpack_from("<QQQ", data, 24)
        phsize, phnum, shsize, shnum, names = struct.unpack_from("<HHHHH", data, 54)
        self.loads = []  # (flags, offset, address, bytes in the file, bytes in memory)
        for i in range(phnum):
            kind, flags, offset, address, _, filesz, memsz = struct.unpack_from(
                "<IIQQQQQ", data, phoff + i * phsize)
            if kind == 1:
                self.loads.append((flags, offset, address, filesz, memsz))
        rows = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shsize) for i in range(shnum)]
        text = data[rows[names][4]:rows[names][4] + rows[names][5]] if rows else b""
        self.sections = {self.string(text, r[0]): (r[3], r[4], r[5]) for r in rows}

    @staticmethod
    def string(table, at):
        return table[at:table.index(b"\0", at)].decode()

    def symbols(self):
        _, offset, size = self.sections[".symtab"]
        _, strings, room = self.sections[".strtab"]
        text = self.data[strings:strings + room]
        out = {}
        for at in range(offset, offset + size, 24):
            name, _, _, _, value, bytes_ = struct.unpack_from("<IBBHQQ", self.data, at)
            out[self.string(text, name)] = value, bytes_
        return out


def threads(pid, file):
    """The text of /proc/PID/task/TID/FILE of each thread."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/{file}") as text:
            yield text.read()


class Donor:
    """The memory and the file of a process, read while it is stopped. It must have come to rest
    first: in a program that is on the way to its next read(0, ...), what the runtime notes of a
    goroutine and what is on its stack may be of two moments."""

    def __init__(self, pid):
        assert wait_for(lambda: any(call.startswith("0 0x0 ") for call in threads(pid, "syscall")))
        os.kill(pid, signal.SIGSTOP)
        try:
            assert wait_for(lambda: all(stat.rpartition(")")[2].split()[0] == "T"
                                        for stat in threads(pid, "stat")))
            self.pid = pid
            self.file = open(f"/proc/{pid}/exe", "rb").read()
            self.memory = {}
            self.maps = []
            with open(f"/proc/{pid}/mem", "rb") as memory:
                for start, end, flags, path in regions(pid):
                    if flags[:2] == "rw" and not path.startswith("[") or path == "[heap]":
                        self.maps.append((start, end, path))
                        self.copy(memory, start, end)
                self.procid = self.find_procid(memory)
        finally:
            os.kill(pid, signal.SIGCONT)

    def find_procid(self, memory):
        """The address of m0.procid, the only field that must be another in the copy. The same eight
        bytes elsewhere are anything: the cycles of a short wait, a part of two pointers."""
        start, size = Elf(self.file).symbols()["runtime.m0"]
        memory.seek(start)
        words = struct.unpack(f"<{size // 8}Q", memory.read(size // 8 * 8))
        return start + 8 * words.index(self.pid)

    def copy(self, memory, start, end):
        for at in range(start, end, 64 * PAGE):
            memory.seek(at)
            data = memory.read(min(64 * PAGE, end - at))
            if data.count(0) != len(data):
                self.memory[at] = data

    def prepared(self):
        """The file, whose entry point now maps what the donor had mapped, and waits."""
        data = bytearray(self.file)
        elf = Elf(self.file)
        _, offset, address, filesz, _ = next(l for l in elf.loads if l[0] & 1)
        code = b"".join(map_here(s, e - s) for s, e, path in self.maps if not path.startswith("/"))
        code += WAIT
        assert len(code) <= CODE_BYTES
        at = filesz - CODE_BYTES  # where the program's own functions are
        data[offset + at:offset + at + len(code)] = code
        struct.pack_into("<Q", data, 24, address + at)
        return data


class Image:
    """Runs the copy for a with block. `change` may change the bytes of its file before."""

    def __init__(self, donor, path, change=None):
        data = donor.prepared()
        if change:
            change(data)
        for _ in range(5):
            with open(path, "wb") as f:
                f.write(data)
            os.chmod(path, 0o755)
            self.process = subprocess.Popen([path], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.pid = self.process.pid
            if self.ready(donor):
                return
            self.end()
        raise AssertionError("it could not be mapped")

    def ready(self, donor):
        own = [(s, e) for s, e, _, path in regions(self.pid) if path.startswith("[")]
        if any(s < end and start < e for s, e in own for start, end, _ in donor.maps):
            return False  # by chance its own stack is where the donor has a mapping
        for _ in range(500):
            if open(f"/proc/{self.pid}/syscall").read().split()[0] == "34":
                break
            if self.process.poll() is not None:
                return False
            time.sleep(0.01)
        for at, bytes_ in donor.memory.items():
            self.write(at, bytes_)
        self.set(donor.procid, self.pid)
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.kill()
        self.process.wait()

    def read(self, at, size):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as f:
            f.seek(at)
            return f.read(size)

    def write(self, at, data):
        with open(f"/proc/{self.pid}/mem", "wb", buffering=0) as f:
            f.seek(at)
            assert f.write(data) == len(data)

    def word(self, at):
        return struct.unpack("<Q", self.read(at, 8))[0]

    def set(self, at, value):
        self.write(at, struct.pack("<Q", value % (1 << 64)))
