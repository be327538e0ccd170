"""Compares two profiles sample by sample, and describes the first differences: first those of the
whole profile, then stacks that only one of them has, then values.

Both are read by tests/lib/pprof.py. A sample's key is its stack, flattened, with its labels. With
`exact` it also has the addresses, the grouping of inlined frames, the start lines of functions,
and the mappings. Samples of the same key are compared as a multiset: runtime/pprof may write
several."""
import re
from collections import defaultdict
from itertools import chain

SHOWN = 3


class Different(AssertionError):
    pass


def kinds(p):
    of = p.period_type
    return {"sample types": p.types, "default type": p.default_type,
            "period type": (p.strings[of.get(1, 0)], p.strings[of.get(2, 0)]), "period": p.period}


def frames(location):
    return [(f["name"], f["file"], line) for f, line in location["lines"]]


def mapping(p, location):
    m = p.mappings.get(location["mapping"])
    return m and (m["start"], m["limit"], m["offset"], m["file"], m["build_id"])


def exactly(p, location):
    return location["address"], mapping(p, location), tuple(
        (f["name"], f["system_name"], f["file"], line, f["start_line"])
        for f, line in location["lines"])


def flat(p, sample, exact, seen):
    """`seen`: a cache of locations in this form, by identity; most are in many stacks."""
    parts = []
    for l in sample["locations"]:
        if id(l) not in seen:
            seen[id(l)] = exactly(p, l) if exact else frames(l)
        parts.append(seen[id(l)])
    return tuple(parts if exact else chain.from_iterable(parts))


def labelled(sample):
    """A label with an empty text or 0 is no label to its reader (google/pprof, postDecode). Go
    writes it, other programs need not."""
    return tuple(sorted((item for item in sample["labels"].items() if item[1]), key=str))


def keyed(p, exact=False, leave_out=None):
    """{(stack, labels): sorted values}. A stack does not count if `leave_out` is true for the list
    of its names. Samples whose values are all zero do not count: see zeros()."""
    out, seen = defaultdict(list), {}
    for s in p.samples:
        if any(s["values"]) and not (leave_out and leave_out(s["names"])):
            labels = labelled(s)
            out[flat(p, s, exact, seen), labels].append(tuple(s["values"]))
    return {key: sorted(values) for key, values in out.items()}


def words(key):
    stack, labels = key
    text = " < ".join(str(f) if isinstance(f[0], int) else f"{f[0]} {f[1].split('/')[-1]}:{f[2]}"
                      for f in stack[:12]) or "(no stack)"
    more = f" … {len(stack)} frames" if len(stack) > 12 else ""
    return f"{text}{more}" + (f" {dict(labels)}" if labels else "")


def near(a, b, slack):
    return len(a) == len(b) and all(
        abs(x - y) <= slack for one, other in zip(a, b) for x, y in zip(one, other))


def differences(ours, theirs, exact=False, slack=0, leave_out=None):
    """Yields the differences. `theirs` is correct."""
    mine, right = kinds(ours), kinds(theirs)
    for what in right:
        if mine[what] != right[what]:
            yield f"{what}: {mine[what]}, not {right[what]}"
    a, b = keyed(ours, exact, leave_out), keyed(theirs, exact, leave_out)
    for key in b:
        if key not in a:
            yield f"missing, with {b[key]}: {words(key)}"
    for key in a:
        if key not in b:
            yield f"too much, with {a[key]}: {words(key)}"
        elif not near(a[key], b[key], slack):
            yield f"{a[key]}, not {b[key]}: {words(key)}"


def refuse(found, what):
    found = list(found)
    if found:
        raise Different(f"{what}: {len(found)} differences: " + "; ".join(found[:SHOWN]))


def same(ours, theirs, what="profile", **options):
    refuse(differences(ours, theirs, **options), what)


def zeros(p):
    """Stacks of samples whose values are all zero: buckets that no GC has published yet."""
    seen = {}
    return {(flat(p, s, False, seen), labelled(s)) for s in p.samples
            if not any(s["values"])}


def totals(p):
    return [p.total(i) for i in range(len(p.types))]


def between(low, now, high, what="profile", growing=None):
    """For profiles of a running program: no value of `now` may be below that of `low`, taken
    before, or above that of `high`, taken afterwards. `growing`: the types that are checked; None:
    all. Samples of the same key are added up."""
    summed = [defaultdict(lambda: [0] * len(now.types)) for _ in range(3)]
    for p, into in zip((low, now, high), summed):
        for key, values in keyed(p).items():
            for v in values:
                into[key] = [x + y for x, y in zip(into[key], v)]
    found = []
    for at, (kind, _) in enumerate(now.types):
        if growing and kind not in growing:
            continue
        for key in set(summed[0]) | set(summed[1]):
            before, value, after = (s[key][at] if key in s else 0 for s in summed)
            if not before <= value <= after:
                found.append(f"{kind} {value}, not in {before}..{after}: {words(key)}")
    refuse(found, what)


def blocks(text, leave_out=None):
    """Text of debug=1: its head, and its records, each a block of lines, as a multiset. A heap
    profile's tail is cut off, records of no allocations are left out."""
    text = text.split("\n# runtime.MemStats")[0]
    head, _, rest = text.partition("\n")
    if head.startswith("---"):
        second, _, rest = rest.partition("\n")
        head += "\n" + second
        if rest.startswith("sampling period"):
            second, _, rest = rest.partition("\n")
            head += "\n" + second
    records = []
    for block in re.split(r"\n\n+|\n(?=[-\d]+:? [\d@])", rest):
        block = block.strip("\n")
        if block and not block.startswith("0: 0 [0: 0]") and not (leave_out and leave_out(block)):
            records.append(block)
    return head, sorted(records)


def same_text(ours, theirs, what="text", leave_out=None):
    (my_head, mine), (head, right) = blocks(ours, leave_out), blocks(theirs, leave_out)
    found = []
    if my_head != head:
        found.append(f"it begins {my_head!r}, not {head!r}")
    found += [f"missing: {b!r}" for b in sorted(set(right) - set(mine))]
    found += [f"too much: {b!r}" for b in sorted(set(mine) - set(right))]
    if not found and mine != right:
        found.append("a record is there more than once")
    refuse(found, what)


HEAD = re.compile(r"goroutine (\d+)(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]*)\](.*):$")
FILE = re.compile(r"\t(.*:\d+)(?: \+(0x[0-9a-f]+))?$")


def dump(text):
    """{goid: (state, minutes, frames, created)} of a text of debug=2. A frame is a function
    with its arguments, and its place; ancestors and their frames follow."""
    out = {}
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        head = HEAD.match(lines[0])
        assert head, lines[0]
        words_, minutes = [], 0
        for word in head[2].split(", "):
            found = re.match(r"(\d+) minutes$", word)
            minutes = int(found[1]) if found else minutes
            words_ += [] if found else [word]
        stack, created, at = [], None, 1
        while at < len(lines):
            where = FILE.match(lines[at + 1]) if at + 1 < len(lines) else None
            if not where:
                stack.append((lines[at], None, None))
                at += 1
                continue
            if lines[at].startswith("created by ") and not created:
                created = (lines[at], where[1], where[2])
            else:
                stack.append((lines[at], where[1], where[2]))
            at += 2
        assert int(head[1]) not in out, f"goroutine {head[1]} is there twice"
        out[int(head[1])] = (", ".join(words_) + head[3], minutes, stack, created)
    return out


def same_dump(ours, theirs, what="dump", leave_out=None):
    """Compares which goroutines are there, their states, frames (function, arguments, file,
    line, offset), and creators. Ours is the earlier one: a wait may be a minute longer in theirs."""
    mine, right = dump(ours), dump(theirs)
    found = []
    for goid in sorted(set(mine) | set(right)):
        both = mine.get(goid), right.get(goid)
        if leave_out and any(leave_out([f[0].rsplit("(", 1)[0] for f in g[2]]) for g in both if g):
            continue
        if not all(both):
            found.append(f"goroutine {goid} is {'missing' if both[1] else 'too much'}: "
                         f"{both[1] or both[0]}")
            continue
        (state, minutes, stack, made), (state2, minutes2, stack2, made2) = both
        if state != state2 or not -1 <= minutes - minutes2 <= 0:
            found.append(f"goroutine {goid}: [{state}], {minutes}, not [{state2}], {minutes2}")
        if stack != stack2:
            found.append(f"goroutine {goid}: {stack}, not {stack2}")
        if made != made2:
            found.append(f"goroutine {goid}: made {made}, not {made2}")
    refuse(found, what)
