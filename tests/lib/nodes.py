"""What of V8's compilers a Node uses, for tests that run all of them."""
import copy
import functools

from harness import *

# Options, of which a Node gets those that it has, and how often calls are made before they count.
TIERS = {
    "interpreted": (("--no-opt", "--no-maglev", "--no-sparkplug"), 3),
    "baseline": (("--always-sparkplug", "--no-opt", "--no-maglev"), 3),
    "maglev": (("--maglev", "--no-opt", "--no-sparkplug"), 10000),
    "turbofan": (("--no-maglev", "--no-sparkplug", "--interrupt-budget=10000"), 10000),
    "as_it_likes": ((), 10000),
    "moving": (("--stress-compaction", "--gc-interval=2000"), 50),
}

# Collections that move and flush as much as they can, if it has all of these.
MOVING = "--stress-compaction", "--gc-interval=3000", "--stress-flush-code", "--flush-bytecode"


@functools.lru_cache(None)
def options_of(command):
    """The names of V8's options."""
    told = subprocess.run([*command, "--v8-options"], capture_output=True, text=True, timeout=100)
    assert told.returncode == 0, told
    return set(re.findall(r"(?m)^  --([\w-]+)", told.stdout))


def has(node, option):
    return option.removeprefix("--").removeprefix("no-").split("=")[0] in options_of(tuple(node.command))


def tiers(runtime, whole):
    """Those of TIERS that it has: Maglev came with Node 20. All, if it cannot be run: its tests fail.
    If it is not to be tested as a whole, a few."""
    try:
        without = set() if has(runtime(), "--maglev") else {"maglev"}
    except (AssertionError, Skip):
        without = set()
    few = set(TIERS) if whole else {"baseline", "as_it_likes", "moving"}
    return [(name, *way) for name, way in TIERS.items() if name in few - without]


def having(node, options):
    return [option for option in options if has(node, option)]


def far(node, folder):
    """That Node, with its code out of reach of the builtins in its text: V8 maps these a second time, or
    copies them, up to Node 18. The folder is in each root."""
    other = copy.copy(node)
    other.env = {**node.env, "LD_PRELOAD": shutil.copy(fixture("libfar.so"), folder)}
    return other


class Programs:
    """A folder with the programs of tests/fixtures/interp/node, which is in each root."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sampler-node-")
        os.chmod(self.folder, 0o755)
        shutil.copytree(os.path.join(ROOT, "tests", "fixtures", "interp", "node"), self.folder,
                        dirs_exist_ok=True)
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)
