"""A complete Linux in qemu: Debian's kernel, busybox, and the programs to run, in an initial RAM disk.
It is slow (qemu translates each instruction), but it has the kernel's own ptrace, signals and /proc."""
import gzip
import os
import subprocess

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
ln -s /proc/self/fd /dev/fd
ifconfig lo up
sh /script 2>&1
echo "the end"
poweroff -f
"""


class Archive:
    """Writes an archive in the "New ASCII Format" of cpio(5)."""

    def __init__(self, path):
        self.out = gzip.open(path, "wb", compresslevel=1)
        self.count, self.folders = 0, {""}

    def add(self, name, mode, data=b""):
        self.count += 1
        fields = [self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
        for part in head, data:
            self.out.write(part + bytes(-len(part) % 4))

    def folder(self, name):
        if name not in self.folders:
            self.folder(os.path.dirname(name))
            self.add(name, 0o040755)
            self.folders.add(name)

    def file(self, name, data):
        self.folder(os.path.dirname(name))
        self.add(name, 0o100755, data)

    def close(self):
        self.add("TRAILER!!!", 0)
        self.out.close()


def content(path):
    with open(path, "rb") as f:
        return f.read()


def boot(machine, kernel, files, script, ramdisk, seconds, options=""):
    """Boots, runs the script, and returns its output. `machine` are qemu's words, `files` the RAM disk's
    as {name: path}, bin/busybox among them; `options` are the kernel's."""
    a = Archive(ramdisk)
    for name in "dev", "proc", "sys", "tmp":
        a.folder(name)
    a.file("init", INIT.encode())
    a.file("script", script.encode())
    for name, path in files.items():
        a.file(name, content(path))
    a.close()
    run = subprocess.run([*machine, "-nographic", "-nic", "none", "-no-reboot", "-kernel", kernel,
                          "-initrd", ramdisk, "-append", f"quiet panic=-1 {options}"],
                         capture_output=True, text=True, errors="replace", timeout=seconds,
                         stdin=subprocess.DEVNULL)
    out = run.stdout.replace("\r", "")
    assert "the end" in out, out[-2000:] + run.stderr
    return out
