"""The matrix: every scheduler on every source under every cost model, on three clusters: `python -m tools.matrix`.

Each combination is one `rarlib simulate` in this process; on two of the sources also a `rarlib compare` and a cell of a
study, which runs the schedulers of the templates as well. It must run to its end, where the simulator checks the
identities, or be refused before the first decision with one line that says what would make it run (`WAYS`). Everything
else is a finding; the exit code is 1 if there is any. The order is drawn, so any part of the walk is a sample. What has
been tried on these files is in build/matrix, and is not tried again. Combinations that take longer than `--seconds` of
the processor's time are counted, but not findings.
"""

import argparse
import contextlib
import hashlib
import io
import itertools
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template
from typing import NamedTuple
from unittest import mock

import yaml

from artifact.study.cells import run_cell
from artifact.study.document import STUDY_FILE, Study, read_study_file
from artifact.study.plan import cell_settings
from rarlib.cli import instance
from rarlib.cli.main import main as rarlib
from rarlib.cli.presets import PRESETS
from rarlib.declared import scheduler_names
from rarlib.model.decisions import Decision
from rarlib.model.errors import BAD_INPUT, InputError
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream
from rarlib.simulator.policy import Driver
from rarlib.traces.audit import write_clean
from rarlib.traces.load import load_trace
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources
from tools.release import version

RACKED = """nodes:
  - {count: 8, gpus: 4, type: t4, rack: left}
  - {count: 8, gpus: 4, type: t4, rack: right}
racks: {left: {uplink_gbps: 2.5}, right: {uplink_gbps: 2.5}}
"""
CLUSTERS = ("t4:16x4", "t4:6x4,rtx:3x8,a100:2x8", "racked.yaml")
COSTS = {
    "trace": ("--cost", "trace"),
    "ring": ("--cost", "ring"),
    "goodput": ("--cost", "goodput"),
    "assigned": ("--applications", "sia"),
}
BESIDE = ("sia-philly-6", "pai-sample")
"""Sources of `compare` and of studies: one whose jobs name applications, one whose jobs do not."""

IN_A_FOLDER = {"mine": "study/scheduler.py.template", "own": "plugin/src/package/scheduler.py.template"}
"""Schedulers of the templates: the file of each, which a study names."""

SIMULATE, COMPARE, STUDY = "simulate", "compare", "study"

LINKS = {"none": (), "contention": ("--contention", "alpha=0.3"), "fabric": ("--fabric", "cluster")}

RAN, REFUSED, SLOW, FINDING = "ran", "refused", "slow", "finding"

_LOOKED_AT = 400
"""Combinations among which the next one of a stratified sample is chosen."""

WAYS = (
    r"use --cost ring or goodput",
    r"\(cost model: ",
    r"asks for \d+ GPUs, the cluster has \d+",
    r"a type with \d+ GPUs would hold them",
    r"application '.*' has no profile; known: .*--applications",
    r"leave the (option|fabric) out",
    r"need a quantum above 0",
    r"it was measured on",
)
"""What a refusal must contain, one of these: the option, the cluster or the cost model that would make it run."""


class Combination(NamedTuple):
    """One point of the matrix: names of a scheduler, a source, and entries of the tables above."""

    scheduler: str
    source: str
    cost: str
    cluster: str
    links: str
    preset: str
    way: str = SIMULATE

    def arguments(self, folder: Path, limit: int) -> list[str]:
        """Of `rarlib`; a cluster's file lies in the folder."""
        cluster = str(folder / self.cluster) if self.cluster.endswith(".yaml") else self.cluster
        preset = ("--preset", self.preset) if self.preset else ()
        what = ("--trace", self.source, "--limit", str(limit), "--cluster", cluster, "--scheduler", self.scheduler)
        where = ("--out", str(folder / self.way), "--force", *(("--quiet",) if self.way == SIMULATE else ()))
        return [self.way, *what, *COSTS[self.cost], *LINKS[self.links], *preset, *where]

    def study(self, folder: Path, limit: int) -> Study:
        """With one cell, of one seed; the folder gets its files."""
        template = IN_A_FOLDER.get(self.scheduler)
        if template:
            text = (ROOT / "artifact/templates" / template).read_text(encoding="utf-8")
            words = {"name": self.scheduler, "label": "Own", "cls": "Own"}
            (folder / f"{self.scheduler}.py").write_text(Template(text).safe_substitute(words), encoding="utf-8")
        options = [*COSTS[self.cost], *LINKS[self.links]]
        given = dict(zip((each.removeprefix("--") for each in options[::2]), options[1::2], strict=True))
        table = {
            "name": "matrix",
            "schedulers": {self.scheduler: {"file": f"{self.scheduler}.py"} if template else {}},
            "traces": {self.source: {"jobs": limit}},
            "clusters": {"one": self.cluster},
            "costs": {"one": {"model" if key == "cost" else key: value for key, value in given.items()}},
            "quantum_s": 60,
            "seeds": 1,
            "metrics": ["mean_jct"],
        }
        (folder / STUDY_FILE).write_text(yaml.safe_dump(table), encoding="utf-8")
        return read_study_file(folder)


class Outcome(NamedTuple):
    """How an attempt ended, and the line that it printed."""

    how: str
    line: str


class _TooLong(BaseException):
    """Not an Exception, so that nothing on the way reports it as a fault of the scheduler."""


def sources() -> list[str]:
    """Traces that can be read here, recorded or drawn."""
    return [name for name, files in read_sources().items()
            if files[0].format and (files[0].standin or all(at_hand(each) is not None for each in files))]  # fmt: skip


def everything() -> list[Combination]:
    """The whole matrix. `compare` and a study have neither presets nor fabrics, a study no file of a cluster."""
    simulated = (scheduler_names(), sources(), COSTS, CLUSTERS, LINKS, ("", *PRESETS))
    law = tuple(each for each in LINKS if each != "fabric")
    compared = (scheduler_names(), BESIDE, COSTS, CLUSTERS, law, ("",), (COMPARE,))
    studied = ((*scheduler_names(), *IN_A_FOLDER), BESIDE, COSTS, CLUSTERS[:2], law, ("",), (STUDY,))
    return [Combination(*each) for axes in (simulated, compared, studied) for each in itertools.product(*axes)]


def drawn(combinations: list[Combination], seed: str) -> list[Combination]:
    """In an order that the seed decides."""
    return [combinations[i] for i in stream(0, "matrix", seed).permutation(len(combinations)).tolist()]


def stratified(combinations: list[Combination], seed: str) -> Iterator[Combination]:
    """The same, those first whose entries have been seen least: every entry of every axis comes soon, all evenly."""
    ways = [drawn([each for each in combinations if each.way == way], seed) for way in (SIMULATE, COMPARE, STUDY)]
    rest = (each for turn in itertools.zip_longest(*ways) for each in turn if each is not None)
    seen = Counter[tuple[int, str]]()
    left = list(itertools.islice(rest, _LOOKED_AT))
    while left:
        best = min(left, key=lambda each: sum(seen[axis] for axis in enumerate(each)))
        left[left.index(best) : left.index(best) + 1] = itertools.islice(rest, 1)
        seen.update(enumerate(best))
        yield best


def attempt(one: Combination, folder: Path, limit: int, seconds: int) -> Outcome:
    """Try one combination, in a folder that holds the files of clusters."""
    told, applied, until = io.StringIO(), list[Decision](), time.process_time() + seconds
    apply, open_pass = Driver.apply, Driver.open_pass

    def noted(driver: Driver, decision: Decision) -> None:
        apply(driver, decision)
        applied.append(decision)

    def timed(driver: Driver) -> None:
        if time.process_time() > until:
            raise _TooLong
        open_pass(driver)

    try:
        with (
            contextlib.redirect_stderr(told),
            contextlib.redirect_stdout(io.StringIO()),
            mock.patch.object(instance, "load_trace", _loaded),
            mock.patch.object(Driver, "apply", noted),
            mock.patch.object(Driver, "open_pass", timed),
        ):
            if one.way == STUDY:
                _cell(one, folder, limit)
            else:
                rarlib(one.arguments(folder, limit))
    except _TooLong:
        return Outcome(SLOW, f"more than {seconds} s")
    except SystemExit as end:
        return judged(int(end.code or 0), told.getvalue(), len(applied))
    return Outcome(RAN, "")


_loaded = cache(load_trace)


def _cell(one: Combination, folder: Path, limit: int) -> None:
    """The cell of a study, in its folder; an error ends as it does on the command line."""
    with contextlib.chdir(folder):
        try:
            study, part = one.study(folder, limit), f"{one.source}-b1"
            clean = folder / f"{one.source}.csv"
            if not clean.is_file():
                write_clean(_loaded(one.source), clean)
            run_cell(part, one.scheduler, cell_settings(study, part, one.scheduler), clean)
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(BAD_INPUT)


def judged(code: int, told: str, decisions: int) -> Outcome:
    """What exit code, messages and the decisions carried out before them amount to."""
    lines = [line for line in told.splitlines() if line.startswith("error: ")]
    line = lines[-1] if lines else ""
    if code == 0:
        return Outcome(RAN, "")
    if code != 2 or len(lines) != 1 or decisions or not any(re.search(way, line) for way in WAYS):
        return Outcome(FINDING, f"exit code {code} after {decisions} decisions: {line or told[-300:]}")
    return Outcome(REFUSED, line)


def main() -> int:
    """Walk the matrix, or as much of it as was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, help="combinations to try in this call; all by default")
    parser.add_argument("--jobs", type=int, default=50, help="first jobs of each trace")
    parser.add_argument(
        "--seconds", type=int, default=120, help="of the processor's time, after which a combination is given up"
    )
    given = parser.parse_args()
    log = ROOT / "build/matrix" / hashlib.sha256(f"{version()}{given.jobs}".encode()).hexdigest()[:16]
    log.parent.mkdir(parents=True, exist_ok=True)
    past = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    done, counts = {line.split("\t")[0] for line in past}, Counter(line.split("\t")[1] for line in past)
    todo = [each for each in drawn(everything(), "matrix") if "/".join(each) not in done][: given.most]
    print(f"{len(done):,} tried before, {len(todo):,} to try; written to {log}", flush=True)
    with tempfile.TemporaryDirectory() as name, log.open("a", encoding="utf-8") as out:
        folder = Path(name)
        (folder / "racked.yaml").write_text(RACKED, encoding="utf-8")
        for number, each in enumerate(todo, 1):
            outcome = attempt(each, folder, given.jobs, given.seconds)
            counts[outcome.how] += 1
            out.write("\t".join(("/".join(each), *outcome)) + "\n")
            out.flush()
            if outcome.how == FINDING:
                print(f"FINDING {'/'.join(each)}: {outcome.line}", flush=True)
            if number % 100 == 0:
                print(f"{number:,}: {dict(counts)}", flush=True)
    print(dict(counts))
    return 1 if counts[FINDING] else 0


if __name__ == "__main__":
    sys.exit(main())
