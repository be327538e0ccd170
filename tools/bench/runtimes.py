"""Stacks of Java and Node: what the program that is looked at feels of it, beside async-profiler, which
is a library in the program, and beside a bare stop; and for how long a thread is held, beside the same
program with a runtime that sampler does not know. For tools/bench/run.

The programs (Watched.java, watched.js) are those of languages.py in these languages, and are judged in
the same way. A stack that lacks callers counts as impossible: the share of whole ones is told, too."""
import collections
import contextlib
import functools
import glob
import os
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import languages
from languages import ALWAYS, RATE, SECONDS, SOME, BareStop, Bench, Peer, Program, Sampler, compared, short, \
    show, start, undisturbed
from pins import PINS, TOOLS
from pprof import Profile
from rows import *

HERE = os.path.dirname(os.path.abspath(__file__))
DEPTHS = 50, 900
OURS = re.compile(r"(?:Watched\.)?(begin|down|watch|account|note|text|[ab][1-4])(?:\(.*)?$")
AGENT = os.path.join(BENCH, "async-profiler", "libasyncProfiler.so")


def own(names):
    """The program's functions, outermost first, as languages.possible() has them; without those that
    it reads accounts with."""
    found = [OURS.match(name) for name in names]
    found = ["main" if f[1] == "begin" else f[1] for f in found if f]
    return tuple(found[:found.index("account") + 1] if "account" in found else found)


class Managed(Sampler):
    """Of the thread that watches; others have none of the program's functions."""

    def stacks(self, out):
        profile, seen = Profile(out), collections.Counter()
        managed = {i for i, m in profile.mappings.items() if m["file"] in ("[java]", "[node]")}
        for sample in profile.samples:
            names = [function["name"] for location in reversed(sample["locations"])
                     if location["mapping"] in managed for function, _ in location["lines"]]
            if own(names):
                seen[own(names)] += sample["values"][0]
        return seen


class AsyncProfiler(Peer):
    """`begin` is this file itself: the agent is told to start, and to stop by another command."""
    name = "async-profiler"

    def __init__(self, *options):
        super().__init__(AGENT, *options)
        self.name = "async-profiler"

    def command(self, pid, rate, out):
        return [sys.executable, os.path.abspath(__file__), str(pid), str(rate), out, *self.options]

    def stacks(self, out):
        seen = collections.Counter()
        with open(out) as file:
            for line in file:
                frames, count = line.rsplit(" ", 1)
                names = own([re.sub(r"_\[\w\]$", "", frame) for frame in frames.split(";")])
                if names:
                    seen[names] += int(count)
        return seen


def tell_agent(pid, what):
    subprocess.run([need("jcmd"), pid, "JVMTI.agent_load", AGENT, f'"{what}"'], check=True, stdout=subprocess.DEVNULL)


def profile_by_agent(pid, rate, out, *options):
    signal.signal(signal.SIGINT, lambda *_: None)
    tell_agent(pid, ",".join(["start", f"interval={1000000000 // int(rate)}", *(options or ["event=cpu"])]))
    signal.pause()
    tell_agent(pid, f"stop,file={out},collapsed")


def install_agent():
    """Of Maven's registry, once, as far as that works here."""
    if os.path.exists(AGENT):
        return
    version = PINS["ASYNC_PROFILER"]
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(OSError, subprocess.SubprocessError,
                                                                      IndexError):
        subprocess.run(["mvn", "-q", "-B", "dependency:get", f"-Dmaven.repo.local={folder}",
                        f"-Dartifact=tools.profiler:async-profiler:{version}", "-Dtransitive=false"],
                       capture_output=True, timeout=300, check=True)
        jar = glob.glob(f"{folder}/**/async-profiler-{version}.jar", recursive=True)[0]
        os.makedirs(os.path.dirname(AGENT), exist_ok=True)
        with zipfile.ZipFile(jar) as archive, open(AGENT, "wb") as agent:
            agent.write(archive.read("linux-x64/libasyncProfiler.so"))


class Watched(Program):
    """The thread that watches is not the process's first one in Java."""

    def __init__(self, b, command, frames):
        self.path, self.frames = os.path.join(b.folder, "notes"), frames
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.process = start(b.cpus, *command, self.path, str(frames), stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def __enter__(self):
        super().__enter__()
        time.sleep(2)  # until it is compiled
        self.tid = self.pid
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/comm") as file:
                if file.read() == "watch\n":
                    self.tid = int(task)
        return self

    def account(self):
        with open(f"/proc/{self.pid}/task/{self.tid}/schedstat") as file:
            cpu, waited, _ = map(int, file.read().split())
        return (time.monotonic(), cpu / 1e9, waited / 1e9, *struct.unpack_from("QQ", self.notes))


class BareStopOf(BareStop):
    """Of the thread that watches."""

    def __init__(self, program):
        self.program = program

    def command(self, pid, rate, out):
        return super().command(self.program.tid, rate, out)


def classes(b):
    subprocess.run([need("javac"), "--release", "8", "-nowarn", "-Xlint:-options", "-d", b.folder,
                    os.path.join(HERE, "Watched.java")], check=True, capture_output=True)
    return b.folder


def java(b, program="java", *options):
    return [need(program), "-Xss64m", *options, "-cp", classes(b), "Watched"]


def node(program="node"):
    return [need(program), "--stack-size=8000", os.path.join(HERE, "watched.js")]


def language(b, title, command, *peers):
    section(f"{title}, {RATE} Hz ({SOME} slices of {SECONDS:g} s)")
    for frames in DEPTHS:
        with Watched(b, command, frames) as program:
            felt = compared(program, [Managed(*ALWAYS), BareStopOf(program), *peers], RATE, SOME,
                            f"{b.folder}/out")
        show(f"{frames} frames", felt, felt[Sampler.name], {}, True)
        for name, theirs in felt.items():
            if theirs.looks:
                row(f"{frames} frames: whole and possible stacks, {name}",
                    100 - theirs.impossible_a_thousand() / 10, "", None, "%")


def managed_java(b):
    language(b, "Java", java(b), AsyncProfiler())


def managed_node(b):
    language(b, "Node", node())


# For how long a thread is held.

def unknown(path, copy, *names):
    """A copy of a program or library in which these names, of what its tables tell, are others."""
    with open(path, "rb") as file:
        data = file.read()
    for name in names:
        data = data.replace(name, name[:2] + b"#" + name[3:])
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    with open(copy, "wb") as file:
        file.write(data)
    os.chmod(copy, 0o755)
    return copy


def unknown_java(b):
    """The launcher and the VM look for what is beside them, and must not be links."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(need("java"))))
    for folder, _, files in os.walk(home, followlinks=True):
        into = os.path.join(b.folder, "java", os.path.relpath(folder, home))
        os.makedirs(into, exist_ok=True)
        for name in files:
            path, copy = os.path.join(folder, name), os.path.join(into, name)
            if name == "libjvm.so":
                unknown(path, copy, b"\0_constMethod\0")
            elif name in ("java", "libjli.so"):
                shutil.copy(path, copy)
            else:
                os.symlink(path, copy)
    return os.path.join(b.folder, "java", "bin", "java")


def unknown_node(b):
    return unknown(os.path.realpath(need("node")), os.path.join(b.folder, "node", "node"), b"v8dbg_")


def held_c(b, frames):
    with start(b.cpus, languages.built("felt"), f"{b.folder}/felt", "1", str(frames)) as program:
        try:
            time.sleep(0.5)
            return languages.held_p50(b, program.pid, False)
        finally:
            program.kill()


def held(b, command, frames, known):
    with Watched(b, command, frames) as program:
        return languages.held_p50(b, program.pid, known)


def managed_held(b):
    """A walk that does not know the runtime may end early, and then less is copied."""
    section(f"Held for a stack of Java's or Node's, p50 ({SOME} times {SECONDS:g} s in turns)")
    for title, known, other in (("Java", java(b), java(b, unknown_java(b))), ("Node", node(), node(unknown_node(b)))):
        for frames in DEPTHS:
            turns = [(held(b, known, frames, True), held(b, other, frames, False), held_c(b, frames))
                     for _ in range(SOME)]
            ours, native, c = map(statistics.median, zip(*turns))
            row(f"{frames} frames of {title}", ours, "the runtime not known", native, "us", ours / native)
            at_most(f"{frames} frames of {title}", ours, "a C program of as many frames", c, "us", 1.5)


def part(section):
    @functools.wraps(section)
    def run():
        install_agent()
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        with tempfile.TemporaryDirectory(dir=memory) as folder, undisturbed() as cpus:
            section(Bench(folder, cpus))
    return run


PARTS = [part(managed_java), part(managed_node), part(managed_held)]

if __name__ == "__main__":
    profile_by_agent(*sys.argv[1:])
