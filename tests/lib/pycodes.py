"""Writes the line tables of all code objects of a Python's library, and what this Python says of
each instruction, for tests/tools/pylines. Runs on any CPython from 3.6 on.

    pycodes.py OUTPUT [PART]      one of PART files only"""
import ctypes
import os
import struct
import sys
import warnings

VERSION = sys.version_info[:2]
FORM = 0 if VERSION < (3, 10) else 1 if VERSION == (3, 10) else 2
UNKNOWN = -2
ASKED_MAX = 3000  # PyCode_Addr2Line reads the table from its start each time

addr2line = ctypes.pythonapi.PyCode_Addr2Line
addr2line.argtypes = [ctypes.py_object, ctypes.c_int]
addr2line.restype = ctypes.c_int


def table_of(code):
    return code.co_lnotab if VERSION < (3, 10) else code.co_linetable


def of_the_iterators(code, count):
    """Lines by co_lines (3.10 and later), columns by co_positions (3.11 and later)."""
    lines = [0] * count
    for start, end, line in code.co_lines():
        for i in range(start // 2, end // 2):
            lines[i] = line or 0
    if VERSION < (3, 11):
        return lines, [0] * count
    positions = list(code.co_positions())
    assert len(positions) == count and [p[0] or 0 for p in positions] == lines, code
    # A module's first instructions have line 0, which stands for "none" here, and a column.
    return lines, [0 if p[2] is None or not p[0] else p[2] + 1 for p in positions]


def answers(code):
    count = len(code.co_code) // 2
    step = 1 + count // ASKED_MAX
    if VERSION < (3, 10):
        lines = [max(0, addr2line(code, 2 * i)) if i % step == 0 else UNKNOWN for i in range(count)]
        return lines, [0] * count
    lines, columns = of_the_iterators(code, count)
    for i in range(0, count, step):
        assert max(0, addr2line(code, 2 * i)) == lines[i], (code, i)
    return lines, columns


def write(out, code):
    lines, columns = answers(code)
    table = table_of(code)
    out.write(struct.pack("=IIII", FORM, code.co_firstlineno, len(table), len(lines)) + table)
    out.write(b"".join(struct.pack("=ii", *pair) for pair in zip(lines, columns)))
    for const in code.co_consts:
        if isinstance(const, type(code)):
            write(out, const)


def odd_ones():
    """Tables that a library has rarely: over 64 KB, long jumps forward and back, generated code."""
    yield "".join("%sf(%d, g)\n" % ("\n" * (i % 8), i) for i in range(40000))
    yield "x = [\n" + "".join("%s f(%d),\n" % ("\n" * (i % 400), i) for i in range(300)) + "]\n"
    yield "f(\n" + "\n" * 3000 + "1, g(a +\n" + "\n" * 70000 + "b)).h(\n2)\n"
    yield "".join("a = %s(b) or c; d = [e for e in f if e]\n" % (" " * (i % 300)) for i in range(300))
    yield "def f(a=(1,\n" + "\n" * 40000 + "2)):\n return [\n" + "\n" * 200 + "a for a in a]\n"
    yield "try:\n  a\nfinally:\n  b\nwith c as d:\n  e\nwhile f:\n  try: g\n  except h as i: continue\n"


def made_up():
    """Code without lines, with lines that only go back, as a tool that makes code writes them."""
    import ast
    tree = ast.parse("a(\n b, c)\nd(e)\nfor f in g:\n  h(f)\n" * 200)
    for number, node in enumerate(ast.walk(tree)):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = 1 + number * 7919 % 50000
            node.col_offset = node.end_col_offset = number * 31 % 200
    yield compile(tree, "<back and forth>", "exec")


def library():
    top = os.path.dirname(os.__file__)
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if name.endswith(".py") and "site-packages" not in folder and "lib2to3" not in folder:
                yield os.path.join(folder, name)


def main(path, part=1):
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)
    with open(path, "wb") as out:
        for text in odd_ones():
            write(out, compile(text, "<odd>", "exec"))
        for code in made_up():
            write(out, code)
        for number, name in enumerate(library()):
            if number % part:
                continue
            try:
                with open(name, "rb") as file:
                    code = compile(file.read(), name, "exec")
            except (OSError, SyntaxError, UnicodeDecodeError, ValueError, RecursionError):
                continue
            write(out, code)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
