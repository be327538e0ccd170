"""CPython's own tests, as Debian packages them, with Debian's interpreter."""
import os
import xml.etree.ElementTree as tree

from common import Unit, debs, once, version

NOTE = "the modules that make processes and threads, wait, and take signals; not the one test of vsock, " \
       "whose other end is the virtual machine's host"
PACKAGES = [package.format("3.11") for package in (
    "python{}-minimal", "python{}", "libpython{}-minimal", "libpython{}-stdlib", "libpython{}-testsuite")]
MODULES = """signal eintr subprocess threading thread socket socketserver select selectors poll epoll
    asyncio posix os fork1 wait3 wait4 pty time faulthandler concurrent_futures queue pipes ioctl
    multiprocessing_fork multiprocessing_spawn multiprocessing_main_handling""".split()


def prepare(folder):
    once(folder, lambda _: debs(folder, *PACKAGES))
    return version(folder)


def results(_, scratch):
    found = {}
    path = f"{scratch}/junit.xml"
    for case in tree.parse(path).iter("testcase") if os.path.exists(path) else ():
        bad = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None or case.get("result") == "skipped"
        found[case.get("name")] = "failed" if bad else "skip" if skipped else "ok"
    return found


def units(folder):
    for module in MODULES:
        yield Unit(module, [f"{folder}/usr/bin/python3.11", "-m", "test", "-v", "--junit-xml", "junit.xml",
                            "-u", "network,subprocess", "-i", "ThreadedVSOCKSocketStreamTest",
                            f"test_{module}"], results, seconds=400)
