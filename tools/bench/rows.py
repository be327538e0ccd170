"""The bench's table, and the resources that a command uses. For tools/bench/run and its modules."""
import os
import shutil
import subprocess
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
BENCH = os.path.join(BUILD, "tools", "bench")
SAMPLER = os.path.join(BUILD, "sampler")


class Unavailable(Exception):
    """Something that a row needs is missing here; the row says what."""


def need(program):
    path = shutil.which(program) or (program if os.path.exists(program) else None)
    if not path:
        raise Unavailable(f"no {os.path.basename(program)} on this machine")
    return path


# The table.

WIDTHS = "{:<50} {:>11}  {:<30} {:>11} {:>8}  {:<18} {}"


def section(title):
    print(f"\n{title}\n" + WIDTHS.format("", "sampler", "against", "", "ratio", "target", ""),
          flush=True)


def row(what, ours, against, theirs, unit, ratio=None, target="", met=None):
    value = lambda v: "" if v is None else f"{v:.4g} {unit}"
    verdict = "" if met is None else "met" if met else "MISSED"
    shown = "" if ratio is None else f"{ratio:.4g}x"
    print(WIDTHS.format(what, value(ours), against, value(theirs), shown, target, verdict).rstrip(),
          flush=True)


def at_most(what, ours, against, theirs, unit, limit):
    ratio = ours / theirs
    row(what, ours, against, theirs, unit, ratio, f"<= {limit:.3g}x", ratio <= limit)


def faster(what, ours, against, theirs, unit, times, most):
    ratio = theirs / ours
    row(what, ours, against, theirs, unit, ratio, f">= {times}x, <= {most} {unit}",
        ratio >= times and ours <= most)


def missing(what, why):
    print(f"{what:<50} not measured: {why}", flush=True)


def usage_in(folder, *command):
    """Runs a command: CPU seconds, peak memory in bytes, time of its end (s since 1970), duration
    (s)."""
    start = time.time()
    subprocess.run([os.path.join(BENCH, "usage"), f"{folder}/usage", *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cpu, peak, end, _ = open(f"{folder}/usage").read().split()
    return float(cpu), float(peak), float(end), float(end) - start
