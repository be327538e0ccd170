"""Counts equal stacks and symbols, and differences by class."""
import collections
import os
import re

import peers

TRAMPOLINES = ("__restore_rt", "runtime.sigreturn__sigaction.abi0")  # glibc's, Go's


def place(thread, index):
    """Returns module and function of our frame with that number, as text."""
    physical = [f for f in thread["frames"] if not f["inlined"]]
    if not physical or index < 0:
        return "nowhere"
    f = physical[min(index, len(physical) - 1)]
    return f"{os.path.basename(f['module'] or '?')}: {f['function'] or '?'}"


def difference(mine, theirs, is_code):
    """Returns (kind of difference, number of the last common frame)."""
    common = 0
    while common < min(len(mine), len(theirs)) and mine[common] == theirs[common]:
        common += 1
    if common == len(theirs):
        return "ends earlier", common - 1
    kind = "goes on" if common == len(mine) else "goes elsewhere"
    return kind + ("" if is_code(theirs[common]) else " to where no code is"), common - 1


class Stacks:
    """The stacks of one program."""

    def __init__(self):
        self.count = self.outermost = 0
        self.same = collections.Counter()
        self.ends = collections.Counter()
        self.classes = collections.Counter()
        self.examples = {}

    def add(self, thread, mine, peers, is_code):
        """`peers`: {name: pcs}; `is_code(pc)`: is the address in executable memory?"""
        self.count += 1
        self.ends[thread["end"]] += 1
        self.outermost += thread["end"] == "outermost frame"
        same = {name for name, pcs in peers.items() if pcs == mine}
        self.same.update(same)
        self.same["all"] += len(same) == len(peers)
        for name, pcs in peers.items():
            if name in same:
                continue
            kind, at = difference(mine, pcs, is_code)
            alike = len(set(map(tuple, peers.values()))) == 1
            others = "alone" if same else "with the other" if alike else "the other otherwise"
            key = (name, kind, others, place(thread, at), thread["end"])
            self.classes[key] += 1
            self.examples.setdefault(key, {"thread": thread, "peers": {
                n: [hex(pc) for pc in p] for n, p in peers.items()}})


def symbol(f):
    """The name by symbol; None: by where the function begins ("nginx!fun_54130") or by address."""
    name = f["function"]
    return None if name and re.search(r"!fun_[0-9a-f]+$|\+0x[0-9a-f]+$", name) else name


class Symbols:
    """Our symbols of all distinct addresses."""

    def __init__(self):
        self.said, self.starts, self.build_ids = {}, {}, {}

    def add(self, thread):
        calls, exact = [], True
        for f in thread["frames"]:
            calls.append((symbol(f), f["file"], f["line"], f["column"]))
            if f["inlined"]:
                continue
            exact = exact or f["function"] in TRAMPOLINES
            if f["module"] and f["module"].startswith("/"):
                at = int(f["module_offset"], 16)
                self.said[f["module"], at - (not exact)] = calls
                self.build_ids[f["module"]] = f["build_id"]
                if f["offset"]:
                    self.starts[f["module"], at - (not exact)] = at - int(f["offset"], 16)
            exact = f["function"] in TRAMPOLINES
            calls = []


def same_path(mine, theirs):
    """Are the paths the same? We show a relative path as in DWARF, llvm puts the unit's folder
    before it."""
    if not mine or not theirs:
        return not mine and not theirs
    mine, theirs = os.path.normpath(mine), os.path.normpath(theirs)
    while mine.startswith("../"):
        mine = mine[3:]
    while theirs.startswith("../"):
        theirs = theirs[3:]
    return theirs == mine or theirs.endswith("/" + mine)


def is_object(mine, theirs):
    """Does only llvm have a file, without a line? That is the symbol table's file entry
    (STT_FILE)."""
    return mine[1] is None and theirs[1] is not None and mine[2] is theirs[2] is None


SUFFIX = re.compile(r"(\.(lto_priv|constprop|isra|part|cold|llvm|ipa_cp|localalias)(\.\d+)*)+$")


def plain(name):
    return (name or "").replace(" ", "")


def same_inlined(mine, theirs):
    """llvm-symbolizer shows an inlined call without a linkage name as DW_AT_name has it."""
    return mine == theirs or mine.endswith("::" + theirs)


class Judge:
    """Compares our symbols with those of llvm-symbolizer, for all addresses of a program."""

    def __init__(self, symbols, answers):
        names = {call[0] for calls in answers.values() for call in calls}
        self.symbols, self.answers = symbols, answers
        self.demangled = peers.demangle(names)
        self.tables = {}
        self.same, self.classes = collections.Counter(), collections.Counter()
        self.examples = {}
        for key, mine in symbols.said.items():
            self.judge(key, mine)

    def theirs(self, key):
        unknown = ("", "??")
        return [(None if n in unknown else self.demangled.get(n, n), None if f in unknown else f,
                 line or None, column or None) for n, f, line, column in self.answers.get(key, [])]

    def names_at(self, key):
        module, start = key[0], self.symbols.starts.get(key)
        if module not in self.tables:
            self.tables[module] = peers.names_by_address(module, self.symbols.build_ids[module])
        names = self.tables[module].get(start, set())
        return {SUFFIX.sub("", plain(n)) for n in peers.demangle(names).values()}

    def other_name(self, key, mine, theirs):
        """Returns why the outermost functions have different names; None: they are different
        functions."""
        a, b = mine[-1][0], theirs[-1][0]
        if a is None:
            return "no symbol covers it; llvm-symbolizer takes the one before"
        if b is None:
            return "named by a symbol table of the debug file, which llvm-symbolizer does not read"
        if SUFFIX.sub("", a) == SUFFIX.sub("", b):
            return "the same function with the compiler's suffix, as the debug file's symbols have it"
        if {SUFFIX.sub("", plain(a)), SUFFIX.sub("", plain(b))} <= self.names_at(key):
            return "two names of one address"
        return None

    def judge(self, key, mine):
        theirs = self.theirs(key)
        whole = len(mine) == len(theirs)
        pairs = list(zip(mine, theirs)) if whole else []
        inner = whole and all(same_inlined(plain(a[0]), plain(b[0])) for a, b in pairs[:-1])
        good = {"function": inner and plain(mine[-1][0]) == plain(theirs[-1][0]),
                "file": whole and all(same_path(a[1], b[1]) or is_object(a, b) for a, b in pairs),
                "line": whole and all(a[2] == b[2] for a, b in pairs),
                "column": whole and all(a[3] == b[3] for a, b in pairs), "inlines": whole}
        why = []
        if inner and not good["function"]:
            reason = self.other_name(key, mine, theirs)
            good["function"] = bool(reason) and mine[-1][0] is not None
            why = [reason or "another name"]
        if not whole:
            why = [f"{len(mine) - 1} inlined calls, {len(theirs) - 1} by llvm-symbolizer"]
        elif not inner:
            why = ["another name of an inlined call"]
        if whole:
            why += [f"another {what}" for what in ("file", "line", "column") if not good[what]]
            if any(is_object(a, b) for a, b in pairs):
                why.append("no line there; llvm-symbolizer shows the symbol table's file entry")
        self.count(key, good, ", ".join(why), mine, theirs)

    def count(self, key, good, why, mine, theirs):
        self.same["addresses"] += 1
        for what, is_good in good.items():
            self.same[what] += is_good
        if why:
            self.classes[why] += 1
            self.examples.setdefault(why, (key, mine, theirs))
