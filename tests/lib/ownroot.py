"""In a plain chroot, whose root is no mount point, the propagation of mounts cannot be set at "/", so
`unshare --mount` fails there, as does pivot_root(2). Imported by root in such a place, this moves the test
to a root that is one: its own, bound anew in a mount namespace of the test's, in which nothing
propagates. It is bound inside /proc, because that is a mount point of its own in any chroot: so the
binding itself is seen by nothing else either."""
import ctypes
import os

MS_BIND, MS_REC, MS_PRIVATE, CLONE_NEWNS = 4096, 16384, 1 << 18, 0x20000
PLACE = "/proc/bus"


def is_mount_point(path):
    with open("/proc/self/mountinfo") as mounts:
        return any(line.split()[4] == path for line in mounts)


def move():
    libc = ctypes.CDLL(None, use_errno=True)
    here = os.getcwd()

    def mount(source, target, flags):
        return libc.mount(source, target, None, ctypes.c_ulong(flags), None)
    if libc.unshare(CLONE_NEWNS) or mount(b"none", b"/proc", MS_PRIVATE) or \
            mount(b"/", PLACE.encode(), MS_BIND | MS_REC) or \
            mount(b"none", PLACE.encode(), MS_REC | MS_PRIVATE):
        return  # tests that need mounts say so
    os.chroot(PLACE)
    os.chdir(here)


if os.geteuid() == 0 and os.path.exists("/proc/self/mountinfo") and not is_mount_point("/"):
    move()
