"""A program to look at, for tools/bench/languages.py:

  interpreted.py FILE FRAMES IDLE

Its main thread is FRAMES frames deep and does nothing but read the clock and call a1 or b1, which
call a2 or b2, and so on: a stack with an a below a b, or with another number of frames outside them,
is one that it never had. IDLE threads wait for ever.

FILE has words of 64 bits: steps made; pauses; and of each pause the nanoseconds, and those of them for
which the thread was ready and waited for a CPU (schedstat). A pause is a gap of more than GAP_NS
between two steps in which the thread gave up its CPU without being preempted (getrusage(2), ru_nvcsw).
Its own code never does: only a stop is one."""
import mmap
import os
import resource
import sys
import threading
import time

GAP_NS = 5000
PAUSES = 1 << 18


def a4(n):
    return n + 1


def a3(n):
    return a4(n) + 1


def a2(n):
    return a3(n) + 1


def a1(n):
    return a2(n) + 1


def b4(n):
    return n - 1


def b3(n):
    return b4(n) - 1


def b2(n):
    return b3(n) - 1


def b1(n):
    return b2(n) - 1


def account(schedstat):
    """Times that the thread gave up its CPU, and nanoseconds for which it was ready and waited."""
    return (resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw,
            int(os.pread(schedstat, 64, 0).split()[1]))


def watch(notes):
    clock, schedstat = time.perf_counter_ns, os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    steps = pauses = 0
    switches, waited = account(schedstat)
    last = clock()
    while True:
        a1(steps)
        b1(steps)
        steps += 1
        notes[0] = steps
        now = clock()
        if now - last > GAP_NS and pauses < PAUSES:
            before = switches, waited
            switches, waited = account(schedstat)
            if switches > before[0]:
                notes[2 + 2 * pauses] = now - last
                notes[3 + 2 * pauses] = waited - before[1]
                pauses += 1
                notes[1] = pauses
            now = clock()
        last = now


def down(frames, notes):
    return down(frames - 1, notes) if frames else watch(notes)


with open(sys.argv[1], "w+b") as file:
    file.truncate(16 * (1 + PAUSES))
    words = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
for _ in range(int(sys.argv[3])):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
down(int(sys.argv[2]) - 3, words)
