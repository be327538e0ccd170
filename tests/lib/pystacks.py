"""Stacks of tests/fixtures/interp/corners.py and loads.py: those that a program can have, and those in
a profile of it."""
import json
import math

from harness import *
from interpreters import Interpreter

CORNERS = os.path.join(ROOT, "tests", "fixtures", "interp", "corners.py")
SEAM, CUT, UNKNOWN = "[not merged]", "[cut]", "[unknown]"
NAME_MAX = 4096  # bytes of a name, of which the last are "…" if it is cut


def cut(name):
    raw = name.encode()
    return raw[:NAME_MAX - 3].decode(errors="ignore") + "…" if len(raw) > NAME_MAX else name


class Truth:
    """The possible stacks. Is built by the interpreter that is sampled."""

    def __init__(self, python, *cases, program=CORNERS):
        text = json.loads(python.run(program, "truth", *cases))
        self.children, self.under, self.functions = {}, {}, []
        # May a line be one that was not traced? How many stacks had one?
        self.any_line, self.other_lines = False, 0
        for number, (above, name, file, line) in enumerate(text["nodes"]):
            self.children[above, cut(name), file, line] = number
            self.under.setdefault(above, []).append(number)
            self.functions.append((cut(name), file))
        self.generators = {(cut(name), file, line) for name, file, line in text["generators"]}

    def below(self, at, frame, any_line):
        """The nodes that the frame may be under a node; one whose name is not known is any."""
        if frame[0] == UNKNOWN:
            return set(self.under.get(at, ()))
        if any_line:
            return {node for node in self.under.get(at, ()) if self.functions[node] == frame[:2]}
        found = self.children.get((at, *frame))
        return set() if found is None else {found}

    def problem(self, stack):
        """What is wrong with a stack, innermost first; None: it is possible."""
        wrong = self.problem_in(stack, False)
        if wrong and self.any_line and not self.problem_in(stack, True):
            self.other_lines += 1
            wrong = None
        return wrong

    def problem_in(self, stack, any_line):
        """One that is cut is possible under any node."""
        frames = list(reversed(stack))
        nodes = {0}
        if frames and frames[0][0] == CUT:
            nodes, frames = set(self.children.values()), frames[1:]
        for depth, frame in enumerate(frames):
            below = set().union(*(self.below(at, frame, any_line) for at in nodes))
            if not below:
                last = depth == len(frames) - 1
                return None if last and self.may_begin(frame) else f"{frame} at {depth} of {len(frames)}"
            nodes = below
        return None

    def may_begin(self, frame):
        """A generator's frame is made when it is called, which is not traced."""
        return frame in self.generators or frame[2] == 0 and any(
            frame[:2] == each[:2] for each in self.generators)


def mapping_of(profile, location):
    return profile.mappings[location["mapping"]]["file"] if location["mapping"] else ""


def python_frames(profile, sample):
    """(name, file, line), innermost first."""
    return [(function["name"], function["file"], line) for location in sample["locations"]
            if mapping_of(profile, location) == "[python]" for function, line in location["lines"]
            if function["name"] != SEAM]


def runs(profile, sample):
    """The stack, innermost first: runs of Python frames, as a list of names each, and native frames
    between them, as a list of mappings each; these may be empty. The first and the last are native."""
    out = [[]]
    for location in sample["locations"]:
        mapping = mapping_of(profile, location)
        python = mapping == "[python]"
        if python != (len(out) % 2 == 0):
            out.append([])
        out[-1].append(location["lines"][0][0]["name"] if python else mapping)
    return out if len(out) % 2 else [*out, []]


def is_merged(profile, sample):
    return SEAM not in sample["names"]


class Verdict:
    def __init__(self, profile, truth):
        self.samples = self.merged = self.doubtful = 0
        self.wrong = []
        for s in profile.samples:
            stack, count = python_frames(profile, s), s["values"][0]
            self.samples += count
            self.merged += count * (bool(stack) and is_merged(profile, s))
            self.doubtful += count * any(name in (UNKNOWN, CUT) for name, _, _ in stack)
            problem = truth.problem(stack)
            if problem:
                self.wrong.append((problem, stack[:3], s["names"][:6]))

    def __str__(self):
        return (f"{self.samples} samples, {self.merged} merged, {self.doubtful} in part unknown, "
                f"{len(self.wrong)} impossible stacks")


def at_most(count, of, share):
    """Is that no more than the share? With four standard deviations."""
    return count <= share * of + 4 * math.sqrt(share * (1 - share) * of)


class Corners(Running):
    """The program at work."""

    def __init__(self, python, *cases, program=CORNERS):
        super().__init__(*python.command, program, "run", *cases, env=python.env,
                         stdout=subprocess.PIPE)

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n", f"{self.process.args} ended"
        return self
