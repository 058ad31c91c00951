"""The recipe of the image, executed without a registry: `python -m tools.container`.

mmdebstrap makes a base of the recipe's Debian suite, Buildah executes the recipe's steps on it in a chroot (no daemon,
no kernel feature but chroot), and then a part of the pipeline runs in the image without network: its table and figure
must be byte for byte those of this environment. It needs root and takes about ten minutes the first time; the
base and the image are kept in build/container, by digest.
"""

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tools.trials import Project, copy_project

RECIPE = ROOT / "Containerfile"
IMAGE, BASE = "localhost/rarlib-check", "localhost/rarlib-base"
PART = """
only: [philly]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo]}}
"""
MADE = ("tables/philly-jct.csv", "figures/philly-jct.svg")
"""What is made in the image and here: a table, and a figure drawn by its notebook."""
_FOLDER = ROOT / "build" / "container"
_STORE = _FOLDER / "store"
_UNFINISHED = "unfinished-"
_TIED = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Before a command: all its processes and mounts end with this program, however that ends (setpriv(1), unshare(1))."""
_ALONE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
"""Before a command: no network but the loopback device, through which a notebook talks to its kernel."""
_NAMED = re.compile(r"^ARG BASE=docker\.io/library/debian:(?P<suite>[a-z]+)-\d{8}-slim@sha256:[0-9a-f]{64}$", re.M)
_USER = 1000
_PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "buildah": "buildah",
    "ip": "iproute2",
    "unshare": "util-linux",
    "setpriv": "util-linux",
}
"""What is called, and the package of Debian that has it."""


def suite_of(recipe: str) -> str:
    """The Debian suite that a recipe is based on.

    Raises:
        InputError: when the base is not a dated Debian image, named by its digest.
    """
    found = _NAMED.search(recipe)
    if found is None:
        raise InputError("the base is not debian:SUITE-DATE-slim@sha256:DIGEST", file=RECIPE, field="ARG BASE")
    return found["suite"]


def missing() -> str:
    """What keeps this machine from executing the recipe, in words; empty if nothing does."""
    absent = [program for program in _PROGRAMS if shutil.which(program) is None]
    if absent:
        packages = dict.fromkeys(_PROGRAMS[program] for program in absent)
        return f"needs {' and '.join(absent)} (on Debian: apt install {' '.join(packages)})"
    return "" if os.geteuid() == 0 else "needs the rights of an administrator, for chroot"


def pip_settings(listed: str) -> dict[str, str]:
    """Settings of pip that reach an index over the network, from the lines of `pip config list`.

    A variable of the environment wins over a file, as with pip. Folders of this machine are left out.
    """
    found: dict[str, str] = {}
    for scope in ("global", "install", ":env:"):
        for line in listed.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(f"{scope}."):
                found[name.removeprefix(f"{scope}.")] = str(ast.literal_eval(value))
    return {name: found[name] for name in ("index-url", "proxy", "cert", "default-timeout") if name in found}


class Builder:
    """Buildah with a store of its own, working by chroot.

    Attributes:
        store: folder of the images.
    """

    def __init__(self, store: Path) -> None:
        self.store = store

    def command(self, *arguments: str) -> list[str]:
        """A command line of Buildah."""
        places = ["--root", str(self.store / "root"), "--runroot", str(self.store / "run")]
        return [*_TIED, "buildah", "--storage-driver", "vfs", *places, *arguments]

    def call(self, *arguments: str) -> str:
        """Run Buildah to its end; its output.

        Raises:
            RuntimeError: when it fails, with the end of what it said.
        """
        done = subprocess.run(self.command(*arguments), cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"buildah {arguments[0]} failed: {(done.stdout + done.stderr)[-3000:]}")
        return done.stdout.strip()

    def has(self, image: str) -> bool:
        """Whether the store has an image."""
        command = self.command("inspect", "--type", "image", image)
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def build(self, base: Path, image: str) -> None:
        """Execute the recipe on the base, as an image of that name; pip reaches its index as it does here."""
        empty = self.call("from", "scratch")
        self.call("add", "--quiet", empty, str(base), "/")
        self.call("commit", "--quiet", "--rm", empty, BASE)
        listed = subprocess.check_output([sys.executable, "-m", "pip", "config", "list"], text=True)
        settings, lent = pip_settings(listed), []
        if certificates := settings.get("cert"):
            settings["cert"] = "/run/certificates.pem"
            lent += ["--volume", f"{certificates}:{settings['cert']}:ro"]
        file = self.store / "pip.conf"
        write_text(file, "\n".join(["[global]", *(f"{name} = {value}" for name, value in settings.items()), ""]))
        lent += ["--volume", f"{file}:/etc/pip.conf:ro"]
        where = ["--isolation", "chroot", "--network", "host", "--pull-never", "--build-arg", f"BASE={BASE}"]
        self.call("build", *where, *lent, "--file", str(RECIPE), "--tag", image, str(ROOT))

    @contextmanager
    def project(self, folder: Path, image: str) -> Iterator[Project]:
        """The project in a folder, with an image's Python as its interpreter, as the image's user, without network."""
        for path in (folder, *folder.rglob("*")):
            os.chown(path, _USER, _USER, follow_symlinks=False)
        name = self.call("from", "--pull-never", image)
        options = ["--isolation", "chroot", "--env", "RARLIB_OFFLINE=1", "--volume", f"{folder}:/project"]
        try:
            yield Project(folder, "python", [*_ALONE, *self.command("run", *options, name, "--")])
        finally:
            self.call("rm", name)


def base_of(suite: str) -> Path:
    """A packed base of a Debian suite, made by mmdebstrap when it is not there."""
    packed, part = (_FOLDER / f"{suite}{ending}" for ending in (".tar", ".part.tar"))
    if not packed.exists():
        packed.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_FOLDER, prefix=_UNFINISHED) as scratch:
            command = [*_TIED, "mmdebstrap", "--quiet", "--variant=minbase", suite, str(part)]
            subprocess.run(command, env=os.environ | {"TMPDIR": scratch}, check=True)
        part.rename(packed)
    return packed


def image_of(base: Path) -> str:
    """Name of the image of the recipe, the lock and the base as they are now."""
    digest = hashlib.sha256()
    for path in (RECIPE, ROOT / "requirements.lock", base):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{IMAGE}:{digest.hexdigest()[:12]}"


def built(base: Path) -> tuple[Builder, str]:
    """A builder whose store has the image of the recipe, and the image's name; it is built when it is not there."""
    builder, image = Builder(_STORE), image_of(base)
    if not builder.has(image):
        shutil.rmtree(_STORE, ignore_errors=True)
        _STORE.mkdir()
        print("Executing the steps of Containerfile.", flush=True)
        builder.build(base, image)
    builder.call("rm", "--all")  # what a run that was killed has left
    return builder, image


def check(builder: Builder, image: str, folder: Path) -> list[str]:
    """Make the part of the pipeline here and in the image; a line for everything that differs or fails."""
    here, there = folder / "here", folder / "there"
    arguments = ["-m", "snakemake", "--configfile", "config/tiny.yaml", "--cores", "1", "--"]
    arguments += [f"results/tiny/{name}" for name in MADE]
    for place in (here, there):
        copy_project(place, PART)
        for name in ("requirements.lock", "benchmarks/costs.csv"):
            (place / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    with builder.project(there, image) as project:
        runs = {
            "rarlib doctor in the image": project.run("-m", "rarlib.cli.main", "doctor"),
            "the pipeline in the image": project.run(*arguments),
            "the pipeline here": Project(here).run(*arguments),
        }
    failed = [f"{name} failed:\n{done.stdout[-3000:]}" for name, done in runs.items() if done.returncode]
    print(runs["rarlib doctor in the image"].stdout, end="")
    results = [Project(place).results for place in (here, there)]
    return failed or [name for name in MADE if len({(each / name).read_bytes() for each in results}) > 1]


def main() -> int:
    """Execute the recipe and check the image; 0 if all is well, 1 if something differs, 2 if this machine cannot."""
    if lacking := missing():
        print(f"error: {lacking}", file=sys.stderr)
        return 2
    for left in _FOLDER.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(left)
    base = base_of(suite_of(RECIPE.read_text(encoding="utf-8")))
    builder, image = built(base)
    with tempfile.TemporaryDirectory(dir=_FOLDER, prefix=_UNFINISHED) as name:
        Path(name).chmod(0o755)  # the image's user reads its project below
        wrong = check(builder, image, Path(name))
    print(*([f"error: differs: {each}" for each in wrong] or ["The image gives the same bytes."]), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
