"""libuv's suite: each test is a separate process, and some need helpers. Not as root."""
import glob

from common import Unit, as_nobody, lines, need, once, sh, source, version

NOTE = "all, by the user nobody"


def make(folder):
    top = source(folder, "libuv1")
    sh("cmake", "-S", top, "-B", f"{folder}/build", "-DBUILD_TESTING=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
    sh("make", "-j2", "-C", f"{folder}/build", "uv_run_tests_a")


def prepare(folder):
    need("cmake", "cmake")
    once(folder, lambda _: make(folder))
    return version(folder)


def units(folder):
    top = glob.glob(f"{folder}/libuv1-*/")[0]
    results = lines(r"^ok \d+ - (\S+)$", r"^ok \d+ - (\S+) # SKIP", r"^not ok \d+ - (\S+)")
    there = f"ln -s {top}test test && exec {folder}/build/uv_run_tests_a"
    yield Unit("all", [*as_nobody(), "sh", "-c", there], results, seconds=400, nobody=True,
               env={"UV_TEST_TIMEOUT_MULTIPLIER": "3"})
