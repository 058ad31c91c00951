"""A sample of the matrix, another one for each commit, and how its outcomes are judged."""

import subprocess
import time

import pytest

from rarlib.declared import scheduler_names
from rarlib.model.project import ROOT
from rarlib.traces.sources import read_sources
from tools.matrix import (
    CLUSTERS,
    COSTS,
    FINDING,
    LINKS,
    RACKED,
    REFUSED,
    Combination,
    attempt,
    everything,
    judged,
    stratified,
)

BUDGET_S = 25.0
"""Seconds of the processor after which no further combination is begun."""

JOBS = 8
SLOW_S = 2
SLOW_ALONE = {"pollux", "best-known", "first-fit", "sjf-bco", "aiturbo", "gadget"}
"""Schedulers whose single decision may take seconds: tried by tools.matrix only."""


def tree() -> str:
    """What identifies the files of the commit; the same sample for everybody who has it."""
    got = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=ROOT, check=False, capture_output=True, text=True)
    return got.stdout.strip() or "no git"


def test_a_sample_runs_to_its_end_or_is_refused_well(tmp_path):
    """Each run passes the identities, or one line says before the first decision what would make it run."""
    (tmp_path / "racked.yaml").write_text(RACKED)
    begin, found, tried = time.process_time(), [], 0
    short = {name for name, files in read_sources().items() if 0 < (files[0].jobs or 0) <= 1000}
    few = [each for each in everything() if each.scheduler not in SLOW_ALONE and each.source in short]
    for each in stratified(few, tree()):
        if time.process_time() - begin > BUDGET_S:
            break
        outcome = attempt(each, tmp_path, JOBS, SLOW_S)
        tried += 1
        if outcome.how == FINDING:
            found.append(f"{'/'.join(each)}: {outcome.line}")
    assert not found, found
    assert tried >= 5


def test_a_sample_has_every_entry_soon():
    """The first hundred have every scheduler, cost model, cluster and link; any seed gives others."""
    one, other = ([each for each, _ in zip(stratified(everything(), seed), range(100), strict=False)] for seed in "ab")
    assert {each.scheduler for each in one} == set(scheduler_names())
    assert {each.cost for each in one} == set(COSTS)
    assert {each.cluster for each in one} == set(CLUSTERS)
    assert {each.links for each in one} == set(LINKS)
    assert set(one) != set(other)


@pytest.mark.parametrize(
    ("code", "told", "decisions", "how"),
    [
        (2, "error: field cost: sia needs goodput (cost model: goodput)\n", 0, REFUSED),
        (2, "error: field cost: sia needs goodput (cost model: goodput)\n", 1, FINDING),
        (2, "error: job 3 cannot run\n", 0, FINDING),
        (2, "error: leave the option out\nerror: leave the option out\n", 0, FINDING),
        (70, "error: a fault of rarlib; leave the option out\n", 0, FINDING),
        (0, "", 5, "ran"),
    ],
)
def test_how_an_attempt_is_judged(code, told, decisions, how):
    assert judged(code, told, decisions).how == how


def test_the_fault_that_began_it(tmp_path):
    """FIFO on Sia's workload under goodput on three types, no contention: it used to end at 4,091 s."""
    one = Combination("fifo", "sia-philly-6", "goodput", "t4:6x4,rtx:3x8,a100:2x8", "none", "")
    assert attempt(one, tmp_path, 160, 60).how == "ran"
