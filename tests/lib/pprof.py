"""A reader of pprof files that shares nothing with the program under test."""
import re
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        else:
            raise ValueError(f"wire type {kind}")
        yield number, value


def numbers(value):
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        n, at = varint(value, at)
        out.append(n)
    return out


def message(data, repeated=()):
    out = {number: [] for number in repeated}
    for number, value in fields(data):
        if number in repeated:
            out[number].append(value)
        else:
            out[number] = value
    return out


class Profile:
    """`holes`: the file is a delta, in whose table of strings those left out are empty."""

    def __init__(self, path, holes=False):
        raw = open(path, "rb").read()
        assert raw[:2] == b"\x1f\x8b", "not gzip'd"
        assert raw[4:8] == b"\0\0\0\0", "gzip mtime is not 0"
        top = message(gzip.decompress(raw), repeated=(1, 2, 3, 4, 5, 6))
        self.strings = [s.decode("utf-8", "replace") for s in top[6]]
        text = self.strings
        assert text[0] == ""
        held = [t for t in text if t] if holes else text
        assert len(set(held)) == len(held), "a string is there twice"
        self.types = []
        for t in map(message, top[1]):
            self.types.append((text[t[1]], text[t[2]]))
        self.functions = {}
        for f in map(message, top[5]):
            self.functions[f[1]] = {
                "name": text[f.get(2, 0)], "system_name": text[f.get(3, 0)],
                "file": text[f.get(4, 0)], "start_line": f.get(5, 0)}
        self.mappings = {}
        for m in map(message, top[3]):
            self.mappings[m[1]] = {
                "start": m.get(2, 0), "limit": m.get(3, 0), "offset": m.get(4, 0),
                "file": text[m.get(5, 0)], "build_id": text[m.get(6, 0)],
                "has_functions": m.get(7, 0), "has_filenames": m.get(8, 0),
                "has_lines": m.get(9, 0), "has_inlines": m.get(10, 0)}
        self.locations = {}
        for raw_location in top[4]:
            l = message(raw_location, repeated=(4,))
            lines = [message(x) for x in l[4]]
            self.locations[l[1]] = {
                "mapping": l.get(2, 0), "address": l.get(3, 0),
                "lines": [(self.functions[x[1]], x.get(2, 0)) for x in lines]}
        self.samples = []
        for raw_sample in top[2]:
            ids, values, labels, pairs = [], [], {}, []
            for number, value in fields(raw_sample):
                if number == 1:
                    ids += numbers(value)
                elif number == 2:
                    values += map(signed, numbers(value))
                elif number == 3:
                    label = message(value)
                    key = text[label.get(1, 0)]
                    labels[key] = text[label[2]] if 2 in label else label.get(3, 0)
                    pairs.append((key, labels[key]))
            assert len(values) == len(self.types)
            self.samples.append({
                "locations": [self.locations[i] for i in ids], "values": values,
                "labels": labels, "label_pairs": pairs,
                "names": [f["name"] for i in ids for f, _ in self.locations[i]["lines"]]})
        self.time_nanos, self.duration_nanos = top.get(9, 0), top.get(10, 0)
        self.period_type = message(top.get(11, b""))
        self.period = top.get(12, 0)
        self.comments = [text[i] for i in numbers(top.get(13, b""))]
        self.default_type = text[top.get(14, 0)]

    @property
    def met(self):
        """The samples with a stack: without CPU time that was not sampled, and without those that are a
        system call alone ("[sendfile]"), in which the thread was not stopped."""
        return [s for s in self.samples if len(s["names"]) != 1 or
                not re.fullmatch(r"\[(not sampled|[a-z0-9_]+)\]", s["names"][0])]

    def total(self, index):
        return sum(s["values"][index] for s in self.samples)

    def totals_by(self, label, index):
        """Totals by the value of a label; None: of the samples without it."""
        sums = {}
        for s in self.samples:
            value = s["labels"].get(label)
            sums[value] = sums.get(value, 0) + s["values"][index]
        return sums

    def samples_with(self, name):
        return [s for s in self.samples if name in s["names"]]
