"""The tools with which sampler is compared: gdb, eu-stack, llvm-symbolizer."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import SAMPLER, need  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = {**os.environ, "DEBUGINFOD_URLS": "", "LC_ALL": "C"}


def sampler_dump(pids):
    """Returns {tid: thread} of `sampler dump --json`."""
    run = subprocess.run([SAMPLER, "dump", "--json", "-p", ",".join(map(str, pids))],
                         capture_output=True, timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr.decode())
    text, at, threads = run.stdout.decode(), 0, {}
    while at < len(text):
        process, at = json.JSONDecoder().raw_decode(text, at)
        at += 1
        threads.update((t["tid"], t) for t in process["threads"])
    return threads


def on_the_stack(thread):
    """The frames' addresses. A run of interpreted frames is one None: it stands in the place of one C
    frame, that of the loop."""
    out = []
    for f in thread["frames"]:
        if f["pc"] is None and (not out or out[-1] is not None):
            out.append(None)
        elif f["pc"] is not None and not f["inlined"]:
            out.append(int(f["pc"], 16))
    return out


def with_loops(pcs, theirs):
    """Our addresses, those of loops taken from another walk."""
    return [theirs[i] if pc is None and i < len(theirs) else pc for i, pc in enumerate(pcs)]


def eu_stack(pid):
    run = subprocess.run([need("eu-stack"), "-q", "-n", "0", "-p", str(pid)], capture_output=True,
                         text=True, timeout=300, env=QUIET)
    stacks, stack = {}, None
    for line in run.stdout.splitlines():
        tid = re.match(r"TID (\d+):", line)
        frame = re.match(r"#\d+\s+0x([0-9a-f]+)", line)
        if tid:
            stack = stacks[int(tid.group(1))] = []
        elif frame:
            stack.append(int(frame.group(1), 16))
    return stacks


class Gdb:
    def __init__(self, keeper):
        self.process = subprocess.Popen(
            [need("gdb"), "-nx", "-q", "-batch", "-x", os.path.join(HERE, "gdb_stacks.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=QUIET)
        self.ask("keep", keeper)

    def ask(self, word, pid):
        self.process.stdin.write(f"{word} {pid}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("ANSWER "):
                return json.loads(line[7:])
        raise RuntimeError("gdb has ended")

    def stacks(self, pid):
        """Returns {tid: (pcs, why the walk ended)}."""
        answer = self.ask("walk", pid)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return {int(tid): walk for tid, walk in answer.items()}

    def close(self):
        self.process.kill()
        self.process.wait()


def symbolizer(addresses):
    """Returns {(module, address): [(linkage name, file, line, column), …], innermost first}."""
    addresses = sorted(addresses)
    text = "".join(f'CODE "{module}" 0x{address:x}\n' for module, address in addresses)
    run = subprocess.run([need("llvm-symbolizer"), "--inlines", "--no-demangle",
                          "--output-style=JSON"], input=text, capture_output=True, text=True,
                         timeout=1800, env=QUIET)
    answers = {}
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    for key, line in zip(addresses, lines):
        answer = json.loads(line)
        assert int(answer["Address"], 16) == key[1], (key, answer)
        answers[key] = [(s["FunctionName"], s["FileName"], s["Line"], s["Column"])
                        for s in answer.get("Symbol", [])]
    return answers


def demangle(names):
    """Returns {name: its demangled name}, without parameters and Rust's hashes, like sampler."""
    names = sorted(names)
    run = subprocess.run([need("c++filt"), "-p"], input="\n".join(names) + "\n",
                         capture_output=True, text=True)
    shown = (re.sub(r"\[[0-9a-f]{1,16}\]|::h[0-9a-f]{16}$", "", n) for n in run.stdout.splitlines())
    return dict(zip(names, shown))


def names_by_address(module, build_id):
    """Returns {address: names} of the functions in the symbol tables of a file and its debug
    file."""
    found = {}
    debug = f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug" if build_id else ""
    for command in (["-D", module], [module], [debug]):
        if not os.path.exists(command[-1]):
            continue
        run = subprocess.run([need("nm"), "--defined-only", *command], capture_output=True, text=True,
                             env=QUIET)
        for line in run.stdout.splitlines():
            address, kind, name = line.split(" ", 2)
            if kind in "tTwWiuV":
                found.setdefault(int(address, 16), set()).add(name.split("@")[0])
    return found
