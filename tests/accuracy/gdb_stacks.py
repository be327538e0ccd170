"""Runs inside gdb: walks the stacks of frozen processes, one process after the other.

A line of the standard input is "keep PID" or "walk PID". gdb stays attached to the kept process,
another one of the same program: so it reads the program's symbols once, and not with each attach.
The answer to "walk" is a line of JSON, {tid: [[pc, …], why the walk ended]}, with the frames that
are on the stack, without inlined calls, and tail calls that gdb infers from DWARF's call sites."""
import json
import sys

import gdb

SETTINGS = ("debuginfod enabled off", "pagination off", "confirm off", "auto-load off",
            "auto-load libthread-db off", "print thread-events off", "source open off",
            "backtrace past-main on", "backtrace past-entry on", "backtrace limit unlimited",
            "width 0")
CONCLUDED = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)


def frames(thread):
    thread.switch()
    pcs, reason = [], gdb.FRAME_UNWIND_NO_REASON
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.type() not in CONCLUDED:
            pcs.append(frame.pc())
        reason = frame.unwind_stop_reason()
        frame = frame.older()
    # With "backtrace past-main" gdb shows a return address of 0 as a frame.
    while pcs and pcs[-1] == 0:
        pcs.pop()
    return [pcs, gdb.frame_stop_reason_string(reason)]


def walk(pid):
    gdb.execute(f"attach {pid}", to_string=True)
    try:
        return {t.ptid[1]: frames(t) for t in gdb.selected_inferior().threads()}
    finally:
        gdb.execute("detach", to_string=True)


def main():
    for setting in SETTINGS:
        try:
            gdb.execute("set " + setting)
        except gdb.error:
            pass  # an older gdb does not have the setting
    for line in sys.stdin:
        word, pid = line.split()
        try:
            if word == "keep":
                gdb.execute(f"attach {pid}", to_string=True)
                gdb.execute("add-inferior -no-connection", to_string=True)
                gdb.execute("inferior 2", to_string=True)
                answer = {}
            else:
                answer = walk(pid)
        except gdb.error as error:
            answer = {"error": str(error)}
        print("ANSWER " + json.dumps(answer), flush=True)


main()
