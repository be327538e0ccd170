"""Runs a program under qemu-aarch64, one instruction at a time, and reads its registers and
memory through qemu's gdb stub (GDB manual, "Remote Serial Protocol")."""
import os
import re
import select
import socket
import struct
import subprocess

PACKET = re.compile(rb"\$([^#]*)#..")


class Ended(Exception):
    """The program has exited."""


class Guest:
    def __init__(self, qemu, command, socket_path):
        self.process = subprocess.Popen([*qemu, "-g", socket_path, *command],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        env={})
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(200):
            try:
                self.socket.connect(socket_path)
                break
            except OSError:
                select.select([], [], [], 0.05)
        self.buffer = b""
        self.signal = 0

    def close(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()

    def ask(self, text):
        body = text.encode()
        self.socket.sendall(b"$%s#%02x" % (body, sum(body) & 0xff))
        while True:
            found = PACKET.search(self.buffer)
            if found:
                self.buffer = self.buffer[found.end():]
                self.socket.sendall(b"+")
                return found.group(1)
            more = self.socket.recv(1 << 16)
            if not more:
                raise Ended
            self.buffer += more

    def registers(self):
        """x0 to x30, sp, pc."""
        answer = self.ask("g")
        return struct.unpack("<33Q", bytes.fromhex(answer[:33 * 16].decode()))

    def read(self, addr, size):
        data = b""
        while len(data) < size:
            part = self.ask(f"m{addr + len(data):x},{min(size - len(data), 2000):x}")
            if part[:1] == b"E":
                break
            data += bytes.fromhex(part.decode())
        return data

    def _resume(self, how):
        command = f"vCont;{how.upper()}{self.signal:02x}" if self.signal else f"vCont;{how}"
        delivered, self.signal = self.signal, 0
        answer = self.ask(command)
        if answer[:1] in b"WX":
            raise Ended
        stopped_by = int(answer[1:3], 16)
        self.signal = 0 if stopped_by == 5 else stopped_by
        return delivered

    def step(self):
        """Executes one instruction. Returns the signal that was delivered with it, or 0. A signal
        that comes with this step is kept in self.signal and delivered with the next."""
        return self._resume("s")

    def run_to(self, addr):
        assert self.ask(f"Z0,{addr:x},4") == b"OK"
        self._resume("c")
        self.ask(f"z0,{addr:x},4")
