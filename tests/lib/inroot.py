#!/usr/bin/env python3
"""inroot.py FOLDER PROGRAM ARGUMENT…: becomes a program whose root folder is FOLDER, with the machine's
/proc and /tmp in it, as it is in a container. (A chroot has no mounts of its own.)"""
import ctypes
import os
import sys

MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH, CLONE_NEWNS, SYS_pivot_root = 4096, 16384, 1 << 18, 2, 0x20000, 155
libc = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result:
        sys.exit(os.strerror(ctypes.get_errno()))


def mount(source, target, flags):
    must(libc.mount(source.encode(), target.encode(), None, ctypes.c_ulong(flags), None))


root = sys.argv[1]
must(libc.unshare(CLONE_NEWNS))
mount("none", "/", MS_REC | MS_PRIVATE)
mount(root, root, MS_BIND)
for each in "proc", "tmp":
    mount("/" + each, os.path.join(root, each), MS_BIND | MS_REC)
os.chdir(root)
must(libc.syscall(SYS_pivot_root, b".", b"."))
must(libc.umount2(b".", MNT_DETACH))
os.chdir("/")
os.execv(sys.argv[2], sys.argv[2:])
