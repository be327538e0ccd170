"""The framing of a Go execution trace since Go 1.22 (internal/trace/tracev2, batch.go)."""

EVENT_BATCH, STACKS, STRINGS, FREQUENCY, EXPERIMENTAL, SYNC, END = 1, 2, 4, 8, 49, 50, 52


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def generations(data):
    """Checks that a trace is complete, and returns the number of batches in each generation. A
    trace that is cut off raises IndexError or AssertionError."""
    assert data[:5] == b"go 1." and data[7:16] == b" trace\0\0\0", data[:16]
    version, at, found, kinds = int(data[5:7]), 16, {}, {}
    ended = True
    while at < len(data):
        kind, at = data[at], at + 1
        if kind == END and version >= 26:
            ended = True
            continue
        assert kind in (EVENT_BATCH, EXPERIMENTAL), (kind, at)
        at += kind == EXPERIMENTAL
        generation, at = number(data, at)
        _, at = number(data, at)
        _, at = number(data, at)
        size, at = number(data, at)
        assert at + size <= len(data), "cut off"
        assert ended or generation in found or version < 26, "a generation has no end"
        ended = False
        found[generation] = found.get(generation, 0) + 1
        kinds.setdefault(generation, set()).add(data[at])
        at += size
    assert found and (ended or version < 26), "no end"
    for generation, has in kinds.items():
        assert {STACKS, STRINGS} <= has and has & {FREQUENCY, SYNC}, (generation, has)
    return found
