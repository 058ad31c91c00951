"""A sample of the matrix, another one for each commit, and how its outcomes are judged."""

import subprocess
import time

import pytest

from rarlib.model.project import ROOT
from rarlib.traces.sources import read_sources
from tools.matrix import (
    BESIDE,
    CLUSTERS,
    COMPARE,
    FINDING,
    IN_A_FOLDER,
    RACKED,
    REFUSED,
    SIMULATE,
    STUDY,
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
"""Schedulers whose single decision may take seconds: tried on `BESIDE` only, where it does not."""

SLOWEST = ("pollux", {"goodput", "assigned"})
"""A search over the batches of all jobs in every round takes seconds anywhere: tried by tools.matrix only."""


def tree() -> str:
    """What identifies the files of the commit; the same sample for everybody who has it."""
    got = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=ROOT, check=False, capture_output=True, text=True)
    return got.stdout.strip() or "no git"


def cheap():
    """Combinations that take a second or two at most, with every scheduler and every way in some of them."""
    short = {name for name, files in read_sources().items() if 0 < (files[0].jobs or 0) <= 1000}
    slowest, costs = SLOWEST
    return [
        each
        for each in everything()
        if each.source in (BESIDE if each.scheduler in SLOW_ALONE else {*short, *BESIDE})
        and not (each.scheduler == slowest and each.cost in costs)
    ]


def test_a_sample_runs_to_its_end_or_is_refused_well(tmp_path):
    """Each run passes the identities, or one line says before the first decision what would make it run."""
    (tmp_path / "racked.yaml").write_text(RACKED)
    begin, found, tried = time.process_time(), [], 0
    for each in stratified(cheap(), tree()):
        if time.process_time() - begin > BUDGET_S:
            break
        outcome = attempt(each, tmp_path, JOBS, SLOW_S)
        tried += 1
        if outcome.how == FINDING:
            found.append(f"{'/'.join(each)}: {outcome.line}")
    assert not found, found
    assert tried >= 5


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


@pytest.mark.parametrize("scheduler", [*IN_A_FOLDER, "sia"])
def test_a_study_runs_the_schedulers_of_the_templates_and_ours(tmp_path, scheduler):
    """On jobs that name no application, which are assigned one."""
    one = Combination(scheduler, "pai-sample", "assigned", CLUSTERS[1], "none", "", STUDY)
    assert attempt(one, tmp_path, JOBS, 60).how == "ran"


def test_compare_refuses_as_simulate_does(tmp_path):
    one = Combination("sia", "pai-sample", "ring", CLUSTERS[1], "none", "", COMPARE)
    found = attempt(one, tmp_path, JOBS, 60)
    assert found.how == REFUSED and found == attempt(one._replace(way=SIMULATE), tmp_path, JOBS, 60)
