"""Records what a walk must find at each instruction of a program under qemu-aarch64: registers,
stack, and the pending calls, which are known by following calls and returns.

A recording begins with lines: the number of callers that are not recorded because they had called
before; then one line for each executable range of the program ("START END OFFSET PATH",
hexadecimal); an empty line. Then there is a record for each instruction: 33 registers (x0 to x30,
sp, pc); the number of pending calls, and their return addresses, innermost first; the number of
pieces of stack, and for each its address, its length and its bytes. All numbers are little-endian
and have 8 bytes. tests/tools/replay.c reads it."""
import bisect
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from gdbstub import Ended, Guest

SP, PC, LR = 31, 32, 30
BITS_OF_ADDRESS = (1 << 48) - 1
STACK_MOST = 1 << 18
OTHER_STACK = 8192
SIGRETURN = 139
UNKNOWN = 0


def is_call(word):
    """Is it bl, blr, or blr with a signed register?"""
    return word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000 or word & 0xfefff800 == 0xd63f0800


def is_jump(word):
    """Is it br or ret, also a signed one? Not br x16 and x17: a linker's code uses these to
    continue to a callee."""
    return word & 0xfe9ff000 == 0xd61f0000 and not is_call(word) and \
        word not in (0xd61f0200, 0xd61f0220)


def is_svc(word):
    return word == 0xd4000001


class Symbols:
    """The functions of a file."""

    def __init__(self, path):
        out = subprocess.run(["aarch64-linux-gnu-nm", "-n", "--defined-only", path],
                             capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in out.splitlines()]
        rows = [(int(r[0], 16), r[2]) for r in rows if len(r) == 3 and r[1] in "tTwWiI"
                and not r[2].startswith("$")]
        self.starts = [r[0] for r in rows]
        self.of = {name: addr for addr, name in rows}

    def function(self, addr):
        at = bisect.bisect_right(self.starts, addr)
        return self.starts[at - 1] if at else 0

    def is_start(self, addr):
        return self.function(addr) == addr


class Shadow:
    """The pending calls: (sp at the call, return address), outermost first."""

    def __init__(self, symbols):
        self.calls = []
        self.symbols = symbols

    def push(self, sp, addr):
        self.calls.append((sp, addr & BITS_OF_ADDRESS))

    def follow(self, word, before, after):
        """Updates the pending calls after an instruction that was no call."""
        sp, pc = after[SP], after[PC]
        if self.calls and pc == self.calls[-1][1] and self.calls[-1][0] in (sp, UNKNOWN):
            self.calls.pop()
            return
        if not is_jump(word) or self.symbols.is_start(pc) or \
           self.symbols.function(pc) == self.symbols.function(before[PC]):
            return
        # Into the middle of another function: longjmp, or an exception's landing pad.
        while self.calls and self.calls[-1][0] <= sp:
            self.calls.pop()


class Recorder:
    def __init__(self, guest, symbols, out):
        self.guest, self.symbols, self.out = guest, symbols, out
        self.code = {}
        self.shadow = Shadow(symbols)
        self.steps = self.signed = self.signals = 0
        self.top = 0

    def word(self, pc):
        if pc not in self.code:
            data = self.guest.read(pc, 4)
            self.code[pc] = struct.unpack("<I", data)[0] if len(data) == 4 else 0
        return self.code[pc]

    def from_outside(self, functions):
        """Runs to each of these functions in turn, which are all called by bl: their callers are
        pending from then on. Returns the registers."""
        for name in functions:
            self.guest.run_to(self.symbols.of[name])
            regs = self.guest.registers()
            self.shadow.push(regs[SP], regs[LR])
            self.top = max(self.top, regs[SP] + 512)
        return regs

    def record(self, regs):
        calls = [addr for _, addr in reversed(self.shadow.calls)]
        self.out.write(struct.pack(f"<34Q{len(calls)}Q", *regs, len(calls), *calls))
        pieces = list(self.pieces(regs[SP]))
        self.out.write(struct.pack("<Q", len(pieces)))
        for addr, size in pieces:
            data = self.guest.read(addr, size)
            self.out.write(struct.pack("<2Q", addr, len(data)) + data)
        self.steps += 1
        self.signed += regs[LR] > BITS_OF_ADDRESS

    def pieces(self, sp):
        """Yields address and length of the current stack, and of the one that a signal has left."""
        if 0 <= self.top - sp <= STACK_MOST:
            yield sp, self.top - sp
        else:
            ours = [s for s, _ in self.shadow.calls if 0 <= self.top - s <= STACK_MOST]
            yield sp, OTHER_STACK
            yield min(ours), self.top - min(ours)

    def step(self, before):
        word = self.word(before[PC])
        in_trampoline = is_svc(word) and before[8] == SIGRETURN
        delivered = self.guest.step()
        after = self.guest.registers()
        if self.guest.signal: # it has arrived and no instruction was executed
            return after
        if delivered:
            self.signals += 1
            self.shadow.push(before[SP], before[PC])
            self.shadow.push(UNKNOWN, after[LR]) # after the handler's first instruction
        elif in_trampoline:
            self.shadow.calls.pop()
        elif is_call(word):
            self.shadow.push(before[SP], before[PC] + 4)
        else:
            self.shadow.follow(word, before, after)
        return after

    def write_header(self, rest, maps):
        self.out.write(f"{rest}\n".encode())
        for line in open(maps):
            words = line.split()
            if "x" in words[1] and words[-1].startswith("/"):
                start, end = words[0].split("-")
                self.out.write(f"{start} {end} {words[2]} {words[-1]}\n".encode())
        self.out.write(b"\n")

    def run(self, regs, most):
        depth = len(self.shadow.calls)
        try:
            while self.steps < most and len(self.shadow.calls) >= depth:
                self.record(regs)
                regs = self.step(regs)
        except Ended:
            pass
