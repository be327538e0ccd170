"""PostgreSQL's regression tests: Debian's server; SQL and expected results from its source."""
import glob

from common import Unit, as_nobody, debs, lines, once, sh, source, version

NOTE = "parallel_schedule, by the user nobody"
PACKAGES = ["postgresql-15", "postgresql-client-15", "postgresql-server-dev-15"]
LIBRARY = "usr/lib/postgresql/15"


def make(folder):
    tests = f"{source(folder, 'postgresql-15')}/src/test/regress"
    debs(folder, *(f"{package}={version(folder)}" for package in PACKAGES))
    sh("cc", "-O2", "-shared", "-fPIC", f"-I{folder}/usr/include/postgresql/15/server", "-o",
       f"{folder}/regress.so", f"{tests}/regress.c")


def prepare(folder):
    once(folder, lambda _: make(folder))
    return version(folder)


def units(folder):
    tests = glob.glob(f"{folder}/postgresql-15-*/src/test/regress")[0]
    results = lines(r"^(?:test|    ) ?(\S+) +\.\.\. ok", None, r"^(?:test|    ) ?(\S+) +\.\.\. (?!ok)")
    yield Unit("parallel_schedule", [
        *as_nobody(), f"{folder}/{LIBRARY}/lib/pgxs/src/test/regress/pg_regress", f"--inputdir={tests}",
        f"--dlpath={folder}", f"--bindir={folder}/{LIBRARY}/bin", "--temp-instance=instance", "--outputdir=.",
        "--max-concurrent-tests=20", f"--schedule={tests}/parallel_schedule"],
        results, seconds=500, nobody=True, env={"LC_ALL": "C.UTF-8"})
