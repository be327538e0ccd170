"""Makes hostile ELF files out of a good one.

What a process needs to run is left alone (the bytes of its PT_LOAD segments), so
that each file can be run and sampled. Each function of CASES takes the good file's
bytes and returns the hostile one's."""
import random
import struct
import zlib

SHF_COMPRESSED = 0x800
SHT_PROGBITS, SHT_SYMTAB = 1, 2


class Elf:
    """The section headers of an ELF64 file, to be changed and written back."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.shoff = struct.unpack_from("<Q", data, 40)[0]
        self.count, self.names_at = struct.unpack_from("<HH", data, 60)
        self.sections = [list(struct.unpack_from("<IIQQQQIIQQ", data, self.shoff + 64 * i))
                         for i in range(self.count)]
        names = self.sections[self.names_at]
        text = bytes(data[names[4]:names[4] + names[5]])
        self.named = {text[s[0]:text.index(b"\0", s[0])].decode(): s for s in self.sections}

    def loaded(self):
        """Where the bytes of the last PT_LOAD segment end."""
        phoff, = struct.unpack_from("<Q", self.data, 32)
        phnum, = struct.unpack_from("<H", self.data, 56)
        ends = [0]
        for i in range(phnum):
            kind, _, offset, _, _, filesz = struct.unpack_from("<IIQQQQ", self.data, phoff + 56 * i)
            if kind == 1:
                ends.append(offset + filesz)
        return max(ends)

    def text(self):
        s = self.named[".text"]
        return s[3], s[3] + s[5]

    def content(self, name):
        s = self.named[name]
        return bytes(self.data[s[4]:s[4] + s[5]])

    def replace(self, name, content, packed=None, claimed=None):
        """New content for a section, at the file's end. With `packed`, the content is repeated
        that often and compressed; its header then claims a size of `claimed` bytes."""
        s = self.named[name]
        s[2] &= ~SHF_COMPRESSED
        if packed:
            content = compress(content, packed, claimed)
            s[2] |= SHF_COMPRESSED
        self.data += b"\0" * (-len(self.data) % 16)
        s[1], s[4], s[5] = SHT_PROGBITS, len(self.data), len(content)
        self.data += content

    def bytes(self):
        for i, s in enumerate(self.sections):
            struct.pack_into("<IIQQQQIIQQ", self.data, self.shoff + 64 * i, *s)
        return bytes(self.data)


def compress(block, times, claimed=None):
    """An ELF compressed section that holds `block` `times` times, made without building
    its whole content. The checksum at its end is wrong, but a reader finds that out only
    after it has decompressed everything."""
    z = zlib.compressobj(9)
    first = z.compress(block) + z.flush(zlib.Z_FULL_FLUSH)
    again = z.compress(block) + z.flush(zlib.Z_FULL_FLUSH)
    size = claimed or len(block) * times
    return struct.pack("<IIQQ", 1, 0, size, 1) + first + again * (times - 1) + z.flush()


def uleb(n):
    if n < 128:
        return bytes((n,))
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


# DWARF 4 written by hand.

COMPILE_UNIT, SUBPROGRAM, INLINED, BLOCK = 0x11, 0x2e, 0x1d, 0x0b
NAME, LOW, HIGH, RANGES, ORIGIN, SIBLING, STMT = 0x03, 0x11, 0x12, 0x55, 0x31, 0x01, 0x10
ADDR, STRING, STRP, DATA8, REF4, SEC = 0x01, 0x08, 0x0e, 0x07, 0x13, 0x17
UNIT_AT = 11  # the first DIE's offset


def abbrev(code, tag, children, *attributes):
    pairs = b"".join(uleb(a) + uleb(f) for a, f in attributes)
    return uleb(code) + uleb(tag) + bytes([children]) + pairs + b"\0\0"


def unit(dies, abbrevs_at=0):
    return struct.pack("<IHIB", len(dies) + 7, 4, abbrevs_at, 8) + dies


def span(elf):
    start, end = elf.text()
    return struct.pack("<QQ", start, end - start)


def with_dwarf(elf, abbrevs, info, **packed):
    elf.replace(".debug_abbrev", abbrevs + b"\0")
    elf.replace(".debug_info", info, **packed)
    return elf.bytes()


UNIT = abbrev(1, COMPILE_UNIT, 1, (NAME, STRING), (LOW, ADDR), (HIGH, DATA8))
FUNCTION = abbrev(2, SUBPROGRAM, 1, (NAME, STRING), (LOW, ADDR), (HIGH, DATA8))


def looping_origins(data):
    """Inlined calls that are instances of each other and of themselves."""
    elf = Elf(data)
    call = abbrev(3, INLINED, 0, (ORIGIN, REF4), (LOW, ADDR), (HIGH, DATA8))
    head = b"\1u\0" + span(elf) + b"\2f\0" + span(elf)
    at = UNIT_AT + len(head)
    calls = b"".join(b"\3" + struct.pack("<I", to) + span(elf) for to in (at, at + 42, at + 21))
    return with_dwarf(elf, UNIT + FUNCTION + call, unit(head + calls + b"\0\0"))


def backward_siblings(data):
    elf = Elf(data)
    block = abbrev(3, BLOCK, 1, (SIBLING, REF4), (LOW, ADDR), (HIGH, DATA8))
    head = b"\1u\0" + span(elf) + b"\2f\0" + span(elf)
    loop = b"\3" + struct.pack("<I", UNIT_AT) + span(elf)
    return with_dwarf(elf, UNIT + FUNCTION + block, unit(head + loop * 1000 + b"\0" * 1002))


def deep_nesting(data):
    """A million inlined calls, each in the one before."""
    elf = Elf(data)
    call = abbrev(3, INLINED, 1, (LOW, ADDR), (HIGH, DATA8))
    head = b"\1u\0" + span(elf) + b"\2f\0" + span(elf)
    return with_dwarf(elf, UNIT + FUNCTION + call,
                      unit(head + (b"\3" + span(elf)) * 1000000))


def shared_range_lists(data):
    """A hundred thousand functions with one list of a million ranges."""
    elf = Elf(data)
    start, _ = elf.text()
    unit_of = abbrev(1, COMPILE_UNIT, 1, (NAME, STRING), (LOW, ADDR), (RANGES, SEC))
    function = abbrev(2, SUBPROGRAM, 0, (NAME, STRING), (RANGES, SEC))
    ranges = b"".join(struct.pack("<QQ", i, i + 1) for i in range(1, 1000001)) + b"\0" * 16
    name = ".debug_ranges" if ".debug_ranges" in elf.named else ".debug_aranges"
    head = b"\1u\0" + struct.pack("<QI", start, 0)
    elf.replace(name, ranges)
    rename(elf, name, ".debug_ranges")
    return with_dwarf(elf, unit_of + function, unit(head + b"\2f\0\0\0\0\0" * 100000 + b"\0"))


def rename(elf, name, to):
    """Renames a section, with a new table of names that also holds the old ones."""
    names = elf.sections[elf.names_at]
    text = bytes(elf.data[names[4]:names[4] + names[5]])
    elf.named[name][0] = len(text)
    names[4], names[5] = len(elf.data), len(text) + len(to) + 1
    elf.data += text + to.encode() + b"\0"


def many_units(data):
    elf = Elf(data)
    return with_dwarf(elf, UNIT, unit(b"\1u\0" + span(elf) + b"\0") * 300000)


def many_abbreviations(data):
    elf = Elf(data)
    last = 2000000
    rest = abbrev(0, BLOCK, 0, (SIBLING, REF4))[1:]  # all but the number
    more = b"".join(uleb(i) + rest for i in range(4, last))
    dies = uleb(last) + b"\1u\0" + span(elf) + b"\2f\0" + span(elf) + b"\0\0"
    return with_dwarf(elf, UNIT + FUNCTION + more, unit(dies))


def endless_string(data):
    """Names of half a gigabyte without a NUL at their end."""
    elf = Elf(data)
    named = abbrev(1, COMPILE_UNIT, 1, (NAME, STRP), (LOW, ADDR), (HIGH, DATA8))
    function = abbrev(2, SUBPROGRAM, 0, (NAME, STRP), (LOW, ADDR), (HIGH, DATA8))
    elf.replace(".debug_str", b"A" * (1 << 20), packed=512)
    dies = b"\1\0\0\0\0" + span(elf) + b"\2\1\0\0\0" + span(elf) + b"\0"
    return with_dwarf(elf, named + function, unit(dies))


def endless_line_program(data):
    """A quarter of a gigabyte of rows, all at one address."""
    elf = Elf(data)
    lined = abbrev(1, COMPILE_UNIT, 1, (NAME, STRING), (LOW, ADDR), (HIGH, DATA8), (STMT, SEC))
    size = 1 << 28
    header = bytes([1, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0]) + b"\0f.c\0\0\0\0\0"
    start, _ = elf.text()
    table = struct.pack("<IHI", size, 2, len(header)) + header + b"\0\x09\2" + \
        struct.pack("<Q", start)
    z = zlib.compressobj(9)
    body = z.compress(table) + z.flush(zlib.Z_FULL_FLUSH)
    again = zlib.compressobj(9, zlib.DEFLATED, -15)
    rows = again.compress(b"\1" * (1 << 20)) + again.flush(zlib.Z_FULL_FLUSH)
    elf.replace(".debug_line", struct.pack("<IIQQ", 1, 0, len(table) + size, 1) + body + rows * 256)
    elf.named[".debug_line"][2] |= SHF_COMPRESSED
    dies = b"\1u\0" + span(elf) + b"\0\0\0\0" + b"\2f\0" + span(elf) + b"\0\0"
    return with_dwarf(elf, lined + FUNCTION, unit(dies))


def compressed_bomb(data):
    """4 GiB of zeros in 4 MiB, and another section that promises 2^60 bytes."""
    elf = Elf(data)
    elf.replace(".debug_info", b"\0" * (1 << 20), packed=4096)
    elf.replace(".debug_str", b"\0" * 4096, packed=1, claimed=1 << 60)
    return elf.bytes()


# Call frame information, as .debug_frame.

def frame_section(elf, entries):
    cie = b"\xff\xff\xff\xff\4\0\x08\0" + b"\1\x78\x10" + b"\x0c\7\x08" + b"\x90\1" + b"\0" * 4
    section = bytearray(struct.pack("<I", len(cie)) + cie)
    for start, size, code in entries:
        body = struct.pack("<IQQ", 0, start, size) + code
        section += struct.pack("<I", len(body)) + body
    elf.replace(".debug_aranges", bytes(section))
    rename(elf, ".debug_aranges", ".debug_frame")
    return elf.bytes()


def endless_cfi(data):
    """One entry of 40 MB."""
    elf = Elf(data)
    start, end = elf.text()
    code = b"\x41\x0e\x10\x41\x0e\x08" * 7000000
    return frame_section(elf, [(start, end - start, code)])


def remembering_cfi(data):
    elf = Elf(data)
    start, end = elf.text()
    return frame_section(elf, [(start, end - start, b"\x0a" * 1000000 + b"\x0b" * 1000000)])


def overlapping_cfi(data):
    """100,000 entries for the same addresses, of different rules."""
    elf = Elf(data)
    start, end = elf.text()
    entries = [(start, end - start, b"\x41\x0e" + uleb(16 + 8 * i) + b"\x41\x86" + uleb(i))
               for i in range(100000)]
    return frame_section(elf, entries)


def cfi_without_bounds(data):
    elf = Elf(data)
    start, _ = elf.text()
    entries = [(start + i, 1 << 60, b"\x41\x0e\x10") for i in range(1000)] + \
              [((1 << 64) - 8, 1 << 60, b"\x41\x0e\x10"), (0, (1 << 64) - 1, b"\x41\x0e\x10")]
    return frame_section(elf, entries)


# The container.

def sections_outside(data):
    elf = Elf(data)
    for i, (name, s) in enumerate(elf.named.items()):
        if name.startswith(".debug") or name in (".symtab", ".strtab"):
            s[4], s[5] = [(1 << 60, 1 << 60), (s[4], 1 << 60), ((1 << 64) - 8, 64)][i % 3]
    return elf.bytes()


def symbols_outside(data):
    elf = Elf(data)
    s = elf.named[".symtab"]
    for i, at in enumerate(range(s[4], s[4] + s[5], 24)):
        name, info, other, index, value, size = struct.unpack_from("<IBBHQQ", elf.data, at)
        if i % 4 == 0:
            name = 0xffffffff - i
        elif i % 4 == 1:
            value, size = value, 1 << 63
        elif i % 4 == 2:
            index, value = 0xfff0 - i % 100, (1 << 64) - 1 - i
        struct.pack_into("<IBBHQQ", elf.data, at, name, info, other, index, value, size)
    return elf.bytes()


def symbols_linked_to_themselves(data):
    elf = Elf(data)
    for i, s in enumerate(elf.sections):
        if s[1] == SHT_SYMTAB:
            s[6], s[9] = i, 0
    return elf.bytes()


def no_section_names(data):
    elf = Elf(data)
    struct.pack_into("<HH", elf.data, 60, 0xffff, 0xfffe)
    return elf.bytes()


def truncated(part):
    def cut(data):
        loaded = Elf(data).loaded()
        return data[:loaded + int((len(data) - loaded) * part)]
    cut.__name__ = f"truncated_{int(part * 100)}_percent"
    return cut


def flipped(seed):
    def flip(data):
        elf, rng = Elf(data), random.Random(seed)
        first = elf.loaded()
        for _ in range(200 * (seed + 1)):
            elf.data[rng.randrange(first, len(data))] ^= 1 << rng.randrange(8)
        return bytes(elf.data)
    flip.__name__ = f"flipped_bits_{seed}"
    return flip


CASES = [looping_origins, backward_siblings, deep_nesting, shared_range_lists, many_units,
         many_abbreviations, endless_string, endless_line_program, compressed_bomb, endless_cfi,
         remembering_cfi, overlapping_cfi, cfi_without_bounds, sections_outside, symbols_outside,
         symbols_linked_to_themselves, no_section_names,
         *map(truncated, (0.0, 0.3, 0.6, 0.9, 0.999)), *map(flipped, range(8))]
