"""The Javas and Nodes of this machine, those that tools/packages fetches, and those of other releases
of Debian, for tests that run all of them."""
import functools
import glob

from harness import *
from pins import PINS

DEBIAN = {name: suite for suite, names in (each.split(":") for each in PINS["INTERPRETERS_LONG"].split())
          for name in names.split(",")}


class Runtime:
    """`command` starts it. `root`: the folder of its release of Debian, in which it runs with the
    machine's /proc and /tmp; None: it is the machine's or a registry's."""

    def __init__(self, path, root=None):
        self.path, self.root = path, root
        self.command, self.env = [path], dict(os.environ)
        if root:
            self.command = [os.path.join(os.path.dirname(__file__), "inroot.py"), root, path]

    def run(self, *arguments, **options):
        done = subprocess.run([*self.command, *map(str, arguments)], env=self.env, capture_output=True,
                              text=True, timeout=300, **options)
        assert done.returncode == 0, (done.returncode, done.stdout[-300:], done.stderr[-300:])
        return done.stdout

    def running(self, *arguments, **options):
        return Running(*self.command, *map(str, arguments), env=self.env, **options)


def fetched(name):
    path = os.path.join(TOOLS, name)
    if os.uname().machine != "x86_64":
        raise Skip("PyPI and npm have it for x86-64")
    assert os.path.exists(path), f"no {name} here: tools/packages test fetches it, some of them with `long`"
    return Runtime(path)


def of_debian(name, pattern):
    root = os.path.join(TOOLS, DEBIAN[name] + "-long")
    found = glob.glob(os.path.join(root, pattern), recursive=True)
    assert found, f"no {name} of Debian's {DEBIAN[name]} here: tools/packages long fetches it"
    if os.geteuid() != 0:
        raise Skip("needs root, for a root folder of its own")
    return Runtime(found[0][len(root):], root)


class Java:
    """`java` starts it; `jcmd` is a command that looks at one."""

    def __init__(self, runtime, jcmd=None):
        self.java, self.jcmd = runtime, [jcmd or os.path.join(os.path.dirname(runtime.path), "jcmd")]

    @functools.cached_property
    def release(self):
        """8, 11, 17 …"""
        done = subprocess.run([*self.java.command, "-version"], capture_output=True, text=True,
                              env=self.java.env)
        found = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
        assert found, done.stderr
        return int(found[1])

    def threads(self, pid, *options):
        """What the VM itself says of its threads."""
        done = subprocess.run([*self.jcmd, str(pid), "Thread.print", *options], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, (done.stdout[-300:], done.stderr[-300:])
        return done.stdout


class Classes:
    """A folder with the fixtures' classes, which is in each root."""

    def __enter__(self):
        fixture("java/built")
        self.folder = tempfile.mkdtemp(prefix="sampler-java-")
        os.chmod(self.folder, 0o755)
        shutil.copytree(os.path.join(FIXTURES, "java"), self.folder, dirs_exist_ok=True)
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def javas():
    """Each Java: its name, and what returns it or raises."""
    yield "the_machine_s_java", lambda: Java(Runtime(os.path.realpath(need("java"))))
    for release in PINS["JAVAS"].split() + (PINS["JAVAS_LONG"].split() if LONG else []):
        yield f"java_{release.replace('.', '_')}", \
            lambda release=release: Java(fetched(f"java-{release}/bin/java"))
    for name in DEBIAN if LONG else []:  # they come without jcmd; any release's does
        found = re.fullmatch(r"openjdk-(\d+)-jre-headless", name)
        if found:
            yield f"java_{found[1]}_of_debian", lambda name=name, release=found[1]: Java(
                of_debian(name, f"usr/lib/jvm/java-{release}-*/**/bin/java"), need("jcmd"))


def nodes():
    """Each Node, in the same way: a Runtime."""
    yield "the_machine_s_node", lambda: Runtime(os.path.realpath(need("node")))
    for release in PINS["NODES"].split() + (PINS["NODES_LONG"].split() if LONG else []):
        yield f"node_{release.replace('.', '_')}", \
            lambda release=release: fetched(f"node-{release}/bin/node")
    if LONG:
        yield "node_of_debian_with_libnode", lambda: of_debian("nodejs", "usr/bin/node")


def erl_with_jit():
    """The machine's erl, if it has a JIT compiler."""
    program = need("erl")
    with tempfile.TemporaryDirectory() as home:
        flavor = subprocess.run(
            [program, "-noshell", "-eval", "io:put_chars(atom_to_list(erlang:system_info(emu_flavor))), halt()."],
            capture_output=True, text=True, timeout=60, env=dict(os.environ, HOME=home)).stdout
    if flavor != "jit":
        raise Skip("this Erlang has no JIT compiler")
    return program


def of_the_rest(life, *options):
    """(the profile of the rest of a program's life or None, was it met too late?)"""
    life.send_signal(signal.SIGSTOP)
    with tempfile.TemporaryDirectory(prefix="sampler-moments-") as folder:
        out = os.path.join(folder, "out.pb.gz")
        sampler = subprocess.Popen([SAMPLER, "-q", "-p", str(life.pid), "-r", "1997", "-d", "60s", "-o", out,
                                    *WHOLE_CPU, *options], stderr=subprocess.PIPE, text=True)
        wait_for(lambda: sampler.poll() is not None or begun(sampler))
        life.send_signal(signal.SIGCONT)
        try:
            err = sampler.communicate(timeout=100)[1]
        except subprocess.TimeoutExpired:
            raise AssertionError(picture(sampler.pid) + picture(life.pid)) from None
        # It had ended, or was ending and no zombie yet; no tick met it on a CPU.
        late = sampler.returncode == 5 or \
            (sampler.returncode == 4 and (life.poll() is not None or "is ending" in err))
        assert late or (sampler.returncode in WELL and not err), (sampler.returncode, err)
        return (Profile(out) if os.path.exists(out) else None), late


def managedstep(thread, count):
    """({steps, inconsistent, short}, what it showed of them) (tests/tools/managedstep.c)"""
    tool = os.path.join(BUILD, "tests", "tools", "managedstep")
    done = subprocess.run([tool, str(thread), str(count)], capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0, (done.returncode, done.stdout[-300:], done.stderr)
    *shown, last = done.stdout.splitlines()
    words = last.split()
    return dict(zip(words[::2], map(int, words[1::2]))), shown


__all__ = [name for name in dir() if not name.startswith("_")]
