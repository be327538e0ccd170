"""Shared by the suites: the folder for their files, how these are fetched, the class Unit."""
import glob
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Callable

# Other users cannot enter root's home, so root's cache is elsewhere.
HOME_CACHE = os.path.expanduser("~/.cache") if os.getuid() else "/var/cache"
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or HOME_CACHE, "sampler-foreign")


class Missing(Exception):
    """A suite needs something that this machine does not have."""


@dataclass
class Unit:
    """One command, which runs one or more tests. results(its output, its scratch folder) returns a
    dict of test names to "ok", "skip", or a failure."""
    name: str
    command: list
    results: Callable
    folder: str = None          # the folder where it runs; None: its scratch folder
    env: dict = field(default_factory=dict)
    seconds: int = 120          # time limit alone; with sampler three times that
    nobody: bool = False        # the scratch folder belongs to the user of as_nobody()


def as_nobody(*limits):
    """Returns the prefix for a command that must not run as root; limits are for prlimit."""
    user = [] if os.getuid() else ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    return user + (["prlimit", *limits] if limits else [])


def sh(*command, cwd=None, **env):
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Missing(f"{' '.join(command)[:80]}: {done.stdout.strip()[-300:]}")
    return done.stdout.strip()


def need(program, package):
    if not shutil.which(program):
        raise Missing(f"no {program}: apt-get install {package}")


def once(folder, make):
    """Calls make(folder), which fills the folder, unless that was done before."""
    if not os.path.exists(f"{folder}/.made"):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(folder)
        open(f"{folder}/.made", "w").close()


def debs(folder, *packages):
    """Downloads and unpacks Debian packages; does not install them."""
    sh("apt-get", "download", "-q", *packages, cwd=folder)
    with open(f"{folder}/version", "w") as kept:
        kept.write(sh("dpkg-deb", "-f", glob.glob(f"{folder}/{packages[-1].split('=')[0]}_*.deb")[0], "Version"))
    for deb in glob.glob(f"{folder}/*.deb"):
        sh("dpkg", "-x", deb, folder)
        os.remove(deb)


def get_source(folder, package, conf):
    """Fetches the newest source that is available: a mirror may lag behind its list."""
    known = re.findall(r"(?m)^Version: (\S+)", sh("apt-cache", "showsrc", package, APT_CONFIG=conf))
    for number in sorted(set(known), reverse=True):
        try:
            return sh("apt-get", "source", "-q", f"{package}={number}", cwd=folder, APT_CONFIG=conf)
        except Missing as why:
            refused = why
    raise refused


def source(folder, package):
    """Unpacks and patches a Debian package's source. Returns its folder. The system's apt sources
    may lack deb-src entries: ours are made from them."""
    need("dpkg-source", "dpkg-dev")
    apt = f"{folder}/apt"
    for name in ("parts", "lists/partial"):
        os.makedirs(f"{apt}/{name}")
    for path in glob.glob("/etc/apt/sources.list.d/*.sources") + glob.glob("/etc/apt/sources.list.d/*.list") \
            + glob.glob("/etc/apt/sources.list"):
        text = re.sub(r"(?m)^(Types: .*|deb )", lambda m: "deb-src " if m[0] == "deb " else "Types: deb-src",
                      open(path).read())
        open(f"{apt}/parts/{os.path.basename(path)}", "w").write(text)
    with open(f"{apt}/conf", "w") as conf:
        conf.write(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{apt}/parts";\n'
                   f'Dir::State::lists "{apt}/lists";\n')
    sh("apt-get", "update", "-q", APT_CONFIG=f"{apt}/conf")
    get_source(folder, package, f"{apt}/conf")
    shutil.rmtree(apt)
    return next(path for path in glob.glob(f"{folder}/*/") if os.path.isdir(path))


def version(folder):
    """Returns the version of what debs() or source() has unpacked there."""
    if os.path.exists(f"{folder}/version"):
        return open(f"{folder}/version").read()
    return re.search(r"(?m)^Version: (\S+)", open(glob.glob(f"{folder}/*.dsc")[0]).read()).group(1)


def lines(ok, skip, failed):
    """Returns a results function made of three patterns, each with the test's name as its group."""
    def results(text, _):
        found = {}
        for status, pattern in (("skip", skip), ("ok", ok), ("failed", failed)):
            for match in re.finditer(pattern, text, re.M) if pattern else ():
                found[match.group(1)] = status
        return found
    return results
