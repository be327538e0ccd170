"""Stacks of tests/fixtures/interp/corners.py: those that it can have, and those in a profile of it."""
import json

from harness import *
from interpreters import Interpreter

CORNERS = os.path.join(ROOT, "tests", "fixtures", "interp", "corners.py")
SEAM = "[not merged]"
NAME_MAX = 4096  # bytes of a name, of which the last are "…" if it is cut


def cut(name):
    raw = name.encode()
    return raw[:NAME_MAX - 3].decode(errors="ignore") + "…" if len(raw) > NAME_MAX else name


class Truth:
    """The possible stacks. Is built by the interpreter that is sampled."""

    def __init__(self, python, *cases):
        text = json.loads(python.run(CORNERS, "truth", *cases))
        self.children = {}
        for number, (above, name, file, line) in enumerate(text["nodes"]):
            self.children[above, cut(name), file, line] = number
        self.generators = {(cut(name), file, line) for name, file, line in text["generators"]}

    def problem(self, stack):
        """What is wrong with a stack, innermost first; None: it is possible."""
        at = 0
        for depth, frame in enumerate(reversed(stack)):
            under = self.children.get((at, *frame))
            if under is None:
                if depth == len(stack) - 1 and (frame in self.generators or frame[2] == 0 and
                                                any(g[:2] == frame[:2] for g in self.generators)):
                    return None
                return f"{frame} at {depth} of {len(stack)}"
            at = under
        return None


def mapping_of(profile, location):
    return profile.mappings[location["mapping"]]["file"] if location["mapping"] else ""


def python_frames(profile, sample):
    """(name, file, line), innermost first."""
    return [(function["name"], function["file"], line) for location in sample["locations"]
            if mapping_of(profile, location) == "[python]" for function, line in location["lines"]]


def is_merged(profile, sample):
    return SEAM not in sample["names"]


class Corners(Running):
    """The program at work."""

    def __init__(self, python, *cases, **options):
        super().__init__(*python.command, CORNERS, "run", *cases, env=python.env,
                         stdout=subprocess.PIPE, **options)

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n", f"{self.process.args} ended"
        return self
