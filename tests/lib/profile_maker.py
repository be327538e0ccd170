"""A writer of pprof files that shares nothing with the program under test."""
import gzip


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n) if n else b""


def packed(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Maker:
    """Names are str, or bytes for what is not UTF-8."""

    def __init__(self, *types, **header):
        self.strings, self.body, self.tables = {b"": 0}, bytearray(), bytearray()
        self.mappings, self.functions, self.locations = {}, {}, {}
        for name, unit in types or [("samples", "count")]:
            self.body += packed(1, number(1, self.string(name)) + number(2, self.string(unit)))
        for comment in header.get("comments", []):
            self.body += number(13, self.string(comment))
        self.body += number(10, header.get("duration", 0)) + number(9, header.get("time", 0))
        self.body += number(14, self.string(header.get("default", "")))

    def string(self, text):
        text = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        return self.strings.setdefault(text, len(self.strings))

    def mapping(self, path):
        if path not in self.mappings:
            self.mappings[path] = n = len(self.mappings) + 1
            self.tables += packed(3, number(1, n) + number(2, n << 32) + number(3, (n + 1) << 32) +
                                  number(5, self.string(path)))
        return self.mappings[path]

    def function(self, name, file="", start_line=0):
        key = (name, file, start_line)
        if key not in self.functions:
            self.functions[key] = n = len(self.functions) + 1
            self.tables += packed(5, number(1, n) + number(2, self.string(name)) +
                                  number(4, self.string(file)) + number(5, start_line))
        return self.functions[key]

    def location(self, *lines, module=None, address=0):
        """lines: (name, file, line), innermost first"""
        key = (lines, module, address)
        if key not in self.locations:
            self.locations[key] = n = len(self.locations) + 1
            mapping = self.mapping(module) if module else 0
            body = number(1, n) + number(2, mapping) + number(3, (mapping << 32) + address if address else 0)
            for name, file, line in lines:
                body += packed(4, number(1, self.function(name, file, max(line - 3, 0))) + number(2, line))
            self.tables += packed(4, body)
        return self.locations[key]

    def frame(self, name, module=None, file="", line=0):
        return self.location((name, file, line), module=module)

    def sample(self, stack, *values, **labels):
        """stack: locations, outermost first"""
        body = packed(1, b"".join(map(varint, reversed(stack)))) + \
            packed(2, b"".join(map(varint, values)))
        for key, value in labels.items():
            key = number(1, self.string(key.replace("__", "::")))
            body += packed(3, key + (number(3, value) if isinstance(value, int) else
                                     number(2, self.string(value))))
        self.body += packed(2, body)

    def write(self, path):
        strings = b"".join(packed(6, s) for s in self.strings)
        data = gzip.compress(bytes(self.body + self.tables) + strings, 1, mtime=0)
        open(path, "wb").write(data)
        return path
