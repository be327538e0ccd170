"""Stacks by tests/tools/interpwalk.c, and a count of what was seen of them."""
import collections

from harness import *


class Tally(collections.Counter):
    def told(self):
        return ", ".join(f"{n} {what}" for what, n in self.items())


NO_INTERPRETER = 1  # yet: where it loads a module at this moment, it cannot be read


def interpwalk(pid, count, *how, well=(0,)):
    """Stacks, one a line."""
    tool = os.path.join(BUILD, "tests", "tools", "interpwalk")
    done = subprocess.run([tool, str(pid), str(count), *map(str, how)], capture_output=True, text=True)
    assert done.returncode in well, (done.returncode, done.stdout[-300:], done.stderr[-300:])
    return [line for line in done.stdout.splitlines() if not line.startswith("#")]


def until_in(function, pid):
    """Waits until it is in a stack: on a busy machine a runtime takes a good part of a second to start, and
    then has no frames, or one without a line."""
    def met():
        stacks = interpwalk(pid, 20, "run", 300, well=(0, NO_INTERPRETER))
        return any(f"{function}@" in text for text in stacks)
    assert wait_for(met, 60)


__all__ = [name for name in dir() if not name.startswith("_")]
