"""Java's class files: which methods each bytecode calls."""
import struct
import subprocess

INVOKES = {182: "virtual", 183: "special", 184: "static", 185: "interface", 186: "dynamic"}
TABLESWITCH, LOOKUPSWITCH, WIDE, IINC = 170, 171, 196, 132
# Bytes of operands; none of the others has one.
OPERANDS = {16: 1, 17: 2, 18: 1, 19: 2, 20: 2, **dict.fromkeys([*range(21, 26), *range(54, 59), 169, 188], 1),
            132: 2, **dict.fromkeys([*range(153, 169), *range(178, 185), 187, 189, 192, 193, 198, 199], 2),
            185: 4, 186: 4, 197: 3, 200: 4, 201: 4}
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4,
         19: 2, 20: 2}


class ClassFile:
    """`calls`: {"name descriptor": {bci: (kind, class, name, descriptor)}}, of methods with code."""

    def __init__(self, data):
        self.data, self.at = data, 8
        self.pool = self.constants()
        self.at += 6
        self.at += 2 + 2 * self.u2(self.at)
        self.calls = {}
        for is_method in False, True:
            count = self.take(">H")
            for _ in range(count):
                self.member(is_method)

    def u2(self, at):
        return struct.unpack_from(">H", self.data, at)[0]

    def take(self, form):
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def constants(self):
        count, pool, i = self.take(">H"), {}, 1
        while i < count:
            tag = self.take("B")
            size = self.take(">H") if tag == 1 else SIZES[tag]
            pool[i] = tag, self.data[self.at:self.at + size]
            self.at += size
            i += 2 if tag in (5, 6) else 1
        return pool

    def text(self, index):
        return self.pool[index][1].decode(errors="replace")

    def called(self, index):
        tag, value = self.pool[index]
        owner, kind = struct.unpack(">HH", value)
        name, descriptor = struct.unpack(">HH", self.pool[kind][1])
        where = "" if tag == 18 else self.text(*struct.unpack(">H", self.pool[owner][1]))
        return where, self.text(name), self.text(descriptor)

    def member(self, is_method):
        _, name, descriptor, count = struct.unpack_from(">HHHH", self.data, self.at)
        self.at += 8
        for _ in range(count):
            kind, size = self.take(">H"), self.take(">I")
            if is_method and self.text(kind) == "Code":
                length, = struct.unpack_from(">I", self.data, self.at + 4)
                code = self.data[self.at + 8:self.at + 8 + length]
                self.calls[f"{self.text(name)} {self.text(descriptor)}"] = self.walk(code)
            self.at += size

    def walk(self, code):
        calls, at = {}, 0
        while at < len(code):
            op = code[at]
            if op in INVOKES:
                calls[at] = INVOKES[op], *self.called(struct.unpack_from(">H", code, at + 1)[0])
            at += self.length(code, at)
        return calls

    @staticmethod
    def length(code, at):
        op, table = code[at], (at + 4) & ~3
        if op == TABLESWITCH:
            low, high = struct.unpack_from(">ii", code, table + 4)
            return table + 12 + 4 * (high - low + 1) - at
        if op == LOOKUPSWITCH:
            return table + 8 + 8 * struct.unpack_from(">i", code, table + 4)[0] - at
        if op == WIDE:
            return 6 if code[at + 1] == IINC else 4
        return 1 + OPERANDS.get(op, 0)


def read(java, classes, names):
    """{name: ClassFile}, as that Java has them; not those that are made while it runs."""
    done = subprocess.run([*java.java.command, "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classes,
                           "Classes"], input="\n".join(names).encode(), env=java.java.env,
                          capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr[-300:]
    found, at = {}, 0
    for name in names:
        size, = struct.unpack_from(">I", done.stdout, at)
        if size:
            found[name] = ClassFile(done.stdout[at + 4:at + 4 + size])
        at += 4 + size
    return found
