#!/usr/bin/env python3
"""A second reader of goroutine dumps, with which tests/goparse/dumps.test compares the first.

    expect.py FILE...       prints a JSON object a line, like `sampler goparse --json`

Written from src/runtime/traceback.go (goroutineheader, traceback2, printcreatedby1,
printAncestorTraceback, printCgoTraceback) and not from goparse/: it reads the whole text, line
by line, with regular expressions, regardless of speed. Lines that Go did not print for a
goroutine are skipped."""
import json
import re
import sys

HEX = "0x[0-9a-f]+"
# "goroutine 7 gp=0x1 m=2 mp=0x3 [chan receive (durable), 2 minutes, locked to thread, synctest
# bubble 3 labels:{"a": "b"}]:"; since 1.27 "goroutine 7 [chan receive] {a: "b c"}:"
QUOTED = r'"(?:[^"\\]|\\.)*"'
STRING = rf'(?:{QUOTED}|[^":,{{}}]*)'
HEADER = re.compile(rf"goroutine (\d+)(?: gp=({HEX}) m=(?:(nil)|(-?\d+) mp=({HEX})))? \[(.*?)\]"
                    rf"(?: {{({STRING}: {STRING}(?:, {STRING}: {STRING})*)}})?:")
LABELS = re.compile(rf" labels:{{({QUOTED}: {QUOTED}(?:, {QUOTED}: {QUOTED})*)}}$")
PAIR = re.compile(rf"({STRING}): ({STRING})(?:, |$)")
FLAG = re.compile(r"(.*) \((scan|leaked|durable|synctest)\)")
ANCESTOR = re.compile(r"\[originating from goroutine (\d+)\]:")
CREATED = re.compile(r"created by (.+?)(?: in goroutine (\d+))?")
ELIDED = re.compile(r"\.\.\.(?:additional|(\d+)) frames elided\.\.\.")
UNAVAILABLE = "\tgoroutine running on other thread; stack unavailable"
# printArgs: numbers, "?" after dead ones, "_", "...", braces. It prints no parentheses.
CALL = re.compile(r"(.+)\(([0-9a-fx?_{}., ]*)\)")
PLACE = re.compile(rf"\t(.+):(\d+)(?: \+({HEX}))?(?: fp={HEX} sp={HEX} pc=({HEX}))?")
C_AT = re.compile(rf"non-Go function at pc=({HEX})")
C_PLACE = re.compile(rf"\t(?:(.*):(\d+) )?pc=({HEX})")
ESCAPE = re.compile(r"\\(?:x(..)|u(....)|U(........)|(.))")


def unquote(text):
    """Reverses printquoted (runtime/print.go)."""
    def one(found):
        code = found.group(1) or found.group(2) or found.group(3)
        if code:
            return chr(int(code, 16))
        return {"n": "\n", "r": "\r", "t": "\t"}.get(found.group(4), found.group(4))
    return ESCAPE.sub(one, text[1:-1]) if text[:1] == '"' else text


def header(line):
    found = HEADER.fullmatch(line)
    if not found:
        return None
    goid, gp, nil, m, mp, inside, behind = found.groups()
    g = {"id": int(goid), "frames": [], "labels": {}}
    if gp:
        g.update(gp=gp, m=None if nil else int(m))
        if mp:
            g["mp"] = mp
    labels = LABELS.search(inside)
    pairs = labels.group(1) if labels else behind or ""
    g["labels"] = {unquote(k): unquote(v) for k, v in PAIR.findall(pairs)} if pairs else {}
    if labels:
        inside = inside[:labels.start()]
    state, *rest = inside.split(", ")
    flags = []
    while FLAG.fullmatch(state):
        state, flag = FLAG.fullmatch(state).groups()
        flags.insert(0, flag)
    g.update(state=state, wait_ns=0, locked=False)
    if flags:
        g["flags"] = flags
    for part in rest:
        word, number = part.rsplit(" ", 1) if part.startswith("synctest") else (part, 0)
        if part == "locked to thread":
            g["locked"] = True
        elif word in ("synctest bubble", "synctest group"):
            g[word.split()[1]] = int(number)
        elif re.fullmatch(r"\d+ minutes", part):
            g["wait_ns"] = int(part.split()[0]) * 60 * 10**9
        else:
            raise ValueError(f"a header with {part!r}: {line}")
    return g


def place(line):
    """Returns the fields that the second line of a Go frame adds; None if it is no such line."""
    found = PLACE.fullmatch(line)
    if not found:
        return None
    file, number, offset, pc = found.groups()
    fields = {"file": file, "line": int(number)}
    if offset:
        fields["pc_offset"] = int(offset, 16)
    if pc:
        fields["pc"] = pc
    return fields


class Reader:
    """A Go frame counts if a second line follows it at once, even an unreadable one; a C frame
    counts if its second line has a pc. After the creating frame only ancestors follow."""

    def __init__(self):
        self.all = []
        self.foreign = set()  # numbers of lines within a stack that do not belong to it
        self.stack = None    # gets the frames: a goroutine, or an ancestor of it
        self.waiting = None  # the frame to which the next line may belong as its second one
        self.name = None     # the previous line, which may be a C function's name

    def line(self, number, line, ahead):
        waiting, name = self.waiting, self.name
        self.waiting = self.name = None
        g = header(line)
        if g:
            g["line"] = number
            self.all.append(g)
            self.stack = g
        elif line == "" and self.goes_on(*ahead):
            self.foreign.add(number)
        elif line == "" or line.startswith("exit status ") or line == "runtime stack:":
            self.stack = None
        elif self.stack is not None and line.startswith("\t"):
            if self.second(line, waiting, name):
                self.foreign.discard(number - 1)
            else:
                self.foreign.add(number)
        elif self.stack is not None and ANCESTOR.fullmatch(line):
            self.stack = {"id": int(ANCESTOR.fullmatch(line).group(1)), "frames": []}
            self.all[-1].setdefault("ancestors", []).append(self.stack)
        elif self.stack is not None and "created_by" not in self.stack:
            self.first(line)
        if self.name is not None:
            self.foreign.add(number)  # removed again if its second line comes

    def goes_on(self, line, second):
        """Does the stack go on after an empty line that Go did not write?"""
        begins = CALL.fullmatch(line) or CREATED.fullmatch(line)
        return self.stack and "created_by" not in self.stack and begins and place(second)

    def first(self, line):
        elided, created = ELIDED.fullmatch(line), CREATED.fullmatch(line)
        if elided:
            self.stack["elided"] = {"at": len(self.stack["frames"]),
                                    "count": int(elided.group(1)) if elided.group(1) else None}
        elif created:
            self.waiting = {"function": created.group(1), "file": None, "line": None}
            if created.group(2):
                self.waiting["goroutine"] = int(created.group(2))
            self.stack["created_by"] = self.waiting
        elif C_AT.fullmatch(line):
            self.frame({"function": "non-Go function", "file": None, "line": None,
                        "pc": C_AT.fullmatch(line).group(1)})
        else:
            self.name = line
            call = CALL.fullmatch(line)
            self.waiting = None
            if call:
                self.waiting = {"function": call.group(1), "file": None, "line": None}
                if call.group(2):
                    self.waiting["args"] = call.group(2)

    def second(self, line, waiting, name):
        """Takes the line as a second one. Returns whether it is one."""
        c = C_PLACE.fullmatch(line)
        if line == UNAVAILABLE:
            self.stack["unavailable"] = True
        elif c and name:
            self.frame({"function": name, "file": c.group(1),
                        "line": int(c.group(2)) if c.group(1) else None, "pc": c.group(3)})
        elif waiting is not None:
            waiting.update(place(line) or {})
            if waiting is not self.stack.get("created_by"):
                self.frame(waiting)
            return place(line) is not None
        else:
            return False
        return True

    def frame(self, fields):
        self.stack["frames"].append(fields)


def read_all(data):
    """Returns the goroutines, and the numbers of lines within stacks that do not belong to them."""
    reader = Reader()
    text = data.decode("utf-8", "replace")
    lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    for i, line in enumerate(lines):
        reader.line(i + 1, line, (lines[i + 1:i + 3] + ["", ""])[:2])
    if reader.waiting is not None and reader.name is not None:
        reader.frame(reader.waiting)  # the input ends between the frame's two lines
    return reader.all, reader.foreign


def read(data):
    return read_all(data)[0]


if __name__ == "__main__":
    for path in sys.argv[1:]:
        for goroutine in read(open(path, "rb").read()):
            print(json.dumps(goroutine))
