heap profile: 3: 600 [ 3: 600] @ heapprofile
3: 600 [3: 600] @ 0x400101

MAPPED_LIBRARIES:
00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon
00651000-00652000 r--p 00051000 08:02 173521 /usr/bin/dbus-daemon
7f0000000000-7f0000010000 r-xp 00000000 08:02 5 /lib/libc.so.6
7f0000010000-7f0000020000 r-xp 00010000 08:02 5 /lib/libc.so.6
ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0 [vsyscall]
