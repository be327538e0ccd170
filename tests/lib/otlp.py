"""A reader of OTLP profiles (opentelemetry-proto 1.11, profiles/v1development) that shares nothing
with the program under test. It checks all that the format requires of tables and references."""
from pprof import numbers, signed, varint


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert kind == 2, f"wire type {kind}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut off"
        yield number, kind, value


def message(data, *allowed, repeated=(), packed=()):
    """{field: value}; of a field that may not be there, or is there twice, it complains."""
    out = {number: [] for number in (*repeated, *packed)}
    for number, _, value in fields(data):
        assert number in allowed or number in out, f"field {number}: {data!r}"
        if number in packed:
            out[number] += numbers(value)
        elif number in repeated:
            out[number].append(value)
        else:
            assert number not in out, f"field {number} twice"
            out[number] = value
    return out


def any_value(data):
    found = list(fields(data))
    assert len(found) == 1, f"a value of {len(found)} members"
    number, _, value = found[0]
    if number == 1:
        return value.decode()
    if number in (2, 3):
        return bool(value) if number == 2 else signed(value)
    assert number == 5, f"a value of kind {number}"
    return [any_value(item) for item in message(value, repeated=(1,))[1]]


def key_values(items):
    pairs = [message(item, 1, 2) for item in items]
    keys = [pair[1].decode() for pair in pairs]
    assert all(keys) and len(set(keys)) == len(keys), keys
    return {key: any_value(pair[2]) for key, pair in zip(keys, pairs)}


TABLES = {"mapping": 1, "location": 2, "function": 3, "link": 4, "string": 5, "attribute": 6,
          "stack": 7}


class Dictionary:
    def __init__(self, data):
        tables = message(data, repeated=range(1, 8))
        self.tables = {name: tables[number] for name, number in TABLES.items()}
        self.used = {name: {0} for name in TABLES}
        for name, entries in self.tables.items():
            assert entries and entries[0] == b"", f"entry 0 of {name}s is {entries[:1]}"
            assert len(set(entries)) == len(entries), f"a {name} is there twice"
        self.strings = [s.decode() for s in self.tables["string"]]

    def entry(self, name, index):
        assert 0 <= index < len(self.tables[name]), f"{name} {index} of {len(self.tables[name])}"
        self.used[name].add(index)
        return self.tables[name][index]

    def string(self, index):
        self.entry("string", index)
        return self.strings[index]

    def attributes(self, indexes):
        """{key: (value, unit)}"""
        out = {}
        for index in indexes:
            assert index, "attribute 0"
            a = message(self.entry("attribute", index), 1, 2, 3)
            key = self.string(a.get(1, 0))
            assert key not in out, f"two attributes {key}"
            out[key] = (any_value(a[2]), self.string(a.get(3, 0)))
        return out

    def function(self, index):
        f = message(self.entry("function", index), 1, 2, 3, 4)
        return {"name": self.string(f.get(1, 0)), "system_name": self.string(f.get(2, 0)),
                "file": self.string(f.get(3, 0)), "start_line": signed(f.get(4, 0))}

    def mapping(self, index):
        m = message(self.entry("mapping", index), 1, 2, 3, 4, packed=(5,))
        return {"start": m.get(1, 0), "limit": m.get(2, 0), "offset": m.get(3, 0),
                "file": self.string(m.get(4, 0)), "attributes": self.attributes(m[5])}

    def location(self, index):
        l = message(self.entry("location", index), 1, 2, repeated=(3,), packed=(4,))
        lines = [message(line, 1, 2, 3) for line in l[3]]
        return {"mapping": self.mapping(l.get(1, 0)), "address": l.get(2, 0),
                "lines": [(self.function(x.get(1, 0)), signed(x.get(2, 0)), signed(x.get(3, 0)))
                          for x in lines],
                "attributes": self.attributes(l[4])}

    def stack(self, index):
        return [self.location(i) for i in message(self.entry("stack", index), packed=(1,))[1]]

    def value_type(self, data):
        t = message(data, 1, 2)
        return self.string(t.get(1, 0)), self.string(t.get(2, 0))


class Data:
    """ProfilesData, or the request of the collector's service."""

    def __init__(self, raw):
        top = message(raw, 2, repeated=(1,))
        assert len(top[1]) == 1
        d = self.dictionary = Dictionary(top[2])
        whole = message(top[1][0], 1, repeated=(2,))
        self.resource = key_values(message(whole[1], repeated=(1,))[1])
        assert len(whole[2]) == 1
        scoped = message(whole[2][0], 1, repeated=(2,))
        scope = message(scoped[1], 1, 2, repeated=(3,))
        self.scope_name, self.scope_version = scope[1].decode(), scope[2].decode()
        self.scope = key_values(scope[3])
        self.profiles = [self.profile(d, p) for p in scoped[2]]
        for name, used in d.used.items():
            assert len(used) == len(d.tables[name]), f"{name}s without a reference"

    def profile(self, d, data):
        p = message(data, 1, 3, 4, 5, 6, repeated=(2,), packed=(11,))
        samples, seen = [], set()
        for raw in p[2]:
            s = message(raw, 1, packed=(2, 4))
            assert len(s[4]) == 1 and s[4] != [0], s
            identity = (s.get(1, 0), frozenset(s[2]))
            assert identity not in seen, "a sample is there twice"
            seen.add(identity)
            samples.append({"stack": d.stack(s.get(1, 0)), "labels": d.attributes(s[2]),
                            "value": signed(s[4][0])})
        return {"type": d.value_type(p[1]), "samples": samples, "time": p.get(3, 0),
                "duration": p.get(4, 0), "period_type": d.value_type(p[5]),
                "period": signed(p.get(6, 0)), "attributes": d.attributes(p[11])}
