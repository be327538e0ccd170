"""A complete Linux for aarch64 in qemu-system-aarch64: Debian's kernel, busybox, and the programs
to run, in an initial RAM disk. It is slow (qemu translates each instruction), but it has the
kernel's own ptrace, signals and /proc."""
import glob
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
        self.count = 0

    def add(self, name, mode, data=b""):
        self.count += 1
        fields = [self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
        for part in head, data:
            self.out.write(part + bytes(-len(part) % 4))

    def folder(self, name):
        self.add(name, 0o040755)

    def file(self, name, data):
        self.add(name, 0o100755, data)

    def close(self):
        self.add("TRAILER!!!", 0)
        self.out.close()


def content(path):
    with open(path, "rb") as f:
        return f.read()


def libraries(sysroot):
    found = {}
    for folder in ("lib", "usr/lib"):
        for path in glob.glob(os.path.join(sysroot, folder, "aarch64-linux-gnu", "*.so.*")):
            found.setdefault(os.path.basename(path), path)
    return found


def boot(sysroot, system, programs, script, ramdisk, seconds):
    """Boots, runs the script, and returns its output. `programs` are copied to the root folder;
    `system` is a folder with a kernel and busybox."""
    a = Archive(ramdisk)
    for name in "bin", "dev", "lib", "lib/aarch64-linux-gnu", "proc", "sys", "tmp":
        a.folder(name)
    a.file("init", INIT.encode())
    a.file("script", script.encode())
    a.file("bin/busybox", content(os.path.join(system, "bin/busybox")))
    for name, path in libraries(sysroot).items():
        if not name.startswith(("libcrypto", "libssl")):
            a.file("lib/aarch64-linux-gnu/" + name, content(path))
    a.file("lib/ld-linux-aarch64.so.1", content(os.path.join(sysroot, "lib/ld-linux-aarch64.so.1")))
    for path in programs:
        a.file(os.path.basename(path), content(path))
    a.close()
    kernel = glob.glob(os.path.join(system, "boot/vmlinuz-*"))[0]
    run = subprocess.run(["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu",
                          "max,pauth-impdef=on", "-smp", "2", "-m", "1500", "-nographic", "-nic",
                          "none", "-no-reboot", "-kernel", kernel, "-initrd", ramdisk, "-append",
                          "console=ttyAMA0 quiet panic=-1"], capture_output=True, text=True,
                         errors="replace", timeout=seconds, stdin=subprocess.DEVNULL)
    out = run.stdout.replace("\r", "")
    assert "the end" in out, out[-2000:] + run.stderr
    return out
