"""Measures one program: it is frozen again and again, and each time all tools walk the stacks of
its threads."""
import os
import random
import signal
import time

import peers
from compare import Judge, Stacks, Symbols

NEEDED = ("gdb", "eu-stack", "llvm-symbolizer", "c++filt")


def stopped(pid):
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/stat") as f:
            if f.read().rpartition(")")[2].split()[0] != "T":
                return False
    return True


def freeze(pids):
    """Stops the processes. False: one does not stop (uninterruptible sleep), or has ended."""
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        end = time.time() + 1
        while not all(map(stopped, pids)):
            if time.time() > end:
                return False
            time.sleep(0.001)
        return True
    except OSError:
        return False


def go_on(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGCONT)
        except OSError:
            pass


def pcs_of(threads):
    return {tid: peers.on_the_stack(t) for tid, t in threads.items()}


def code_of(pids):
    """Returns a function: is an address in executable memory of these processes?"""
    ranges = []
    for pid in pids:
        with open(f"/proc/{pid}/maps") as f:
            for where, prot, *_ in map(str.split, f):
                if "x" in prot:
                    ranges.append([int(x, 16) for x in where.split("-")])
    return lambda pc: any(start <= pc < end for start, end in ranges)


def look(pids, gdb, stacks, symbols, before):
    """Compares the stacks of one freeze. `before` has those of the previous freeze: a thread with
    the same stack is compared, but not counted again. False: a process has moved meanwhile."""
    threads = peers.sampler_dump(pids)
    dumped = pcs_of(threads)
    theirs = {tid: {"gdb": [], "eu-stack": []} for tid in dumped}
    for pid in pids:
        for tid, pcs in peers.eu_stack(pid).items():
            theirs[tid]["eu-stack"] = pcs
        for tid, (pcs, _) in gdb.stacks(pid).items():
            theirs[tid]["gdb"] = pcs
    mine = {tid: peers.with_loops(pcs, theirs[tid]["gdb"]) for tid, pcs in dumped.items()}
    if any(pcs != mine[tid] for tid in mine for pcs in theirs[tid].values()) and \
            pcs_of(peers.sampler_dump(pids)) != dumped:
        return False
    is_code = code_of(pids)
    for tid, pcs in mine.items():
        if before.get(tid) != pcs or any(other != pcs for other in theirs[tid].values()):
            stacks.add(threads[tid], pcs, theirs[tid], is_code)
            symbols.add(threads[tid])
    before.clear()
    before.update(mine)
    return True


def end(*_):
    raise SystemExit("ended by a signal")


def measure(kind, stops):
    signal.signal(signal.SIGTERM, end)  # leave no process frozen
    stacks, symbols, before, moved = Stacks(), Symbols(), {}, 0
    program, gdb = kind(), None
    try:
        os.kill(program.keeper_pid(), signal.SIGSTOP)
        gdb = peers.Gdb(program.keeper_pid())
        misses = same = 0
        while stacks.count < stops and misses < 200 + 10 * stops:
            # On a busy machine a server and its client may both need a CPU before it moves.
            time.sleep(random.uniform(0.001, 0.020 * min(1 + same, 20)))
            pids = program.pids()
            if not pids or not freeze(pids):
                misses += 1
                go_on(pids)
                continue
            try:
                count = stacks.count
                if not look(pids, gdb, stacks, symbols, before):
                    moved += 1
                same = same + 1 if stacks.count == count else 0
                misses += stacks.count == count
            except RuntimeError:  # the program has ended
                misses += 1
            go_on(pids)
        return stacks, Judge(symbols, peers.symbolizer(symbols.said)), moved
    finally:
        # The program ends only when gdb has let go of it.
        if gdb:
            gdb.close()
        program.close()
