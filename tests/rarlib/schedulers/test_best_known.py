"""The annealed yardstick: its decoder, its schedules, and that it is worth its name."""

import numpy as np

from artifact.papers.sjf_bco.instance import instance
from rarlib.model.seeds import stream
from rarlib.schedulers.best_known import BestKnown
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.shared.planning.annealing import DecodingState, place_gang
from rarlib.schedulers.sjf_bco import SjfBco
from tests.artifact.papers.sjf_bco.setups import SETUPS
from tests.rarlib.schedulers.cases import run_case


def random_yard(rng):
    size = rng.choice([1, 2, 4, 8], int(rng.integers(1, 5)))
    gang = np.minimum(rng.integers(1, 9, 12), size.sum())
    begin = np.full((len(size), size.max()), np.inf)
    for s, n in enumerate(size):
        begin[s, :n] = np.sort(rng.integers(0, 6, n))
    duration = rng.integers(1, 9, 12).astype(float)
    alone = np.where(gang[:, None] <= size, duration[:, None], np.inf)
    more = np.arange(len(size) + 1)
    spread = np.where(more < 2, 0.0, duration[:, None] + more)
    return DecodingState(gang, alone, spread, size, begin, begin.copy(), np.zeros(len(size), np.int64), 0.0)


def place_by_hand(levels, gang, alone, spread):
    """Every server alone, then whole servers by when they are free; levels are plain lists, one per server."""
    options = []
    for s, level in enumerate(levels):
        if np.isfinite(alone[s]):
            gap = sum(level[gang - 1] - x for x in level[:gang])
            options.append((level[gang - 1] + alone[s], gap, s, {s: gang}))
    finish, _, _, counts = min(options, default=(np.inf, 0, 0, {}), key=lambda option: option[:3])
    left, taken = gang, {}
    while left > 0:
        whole = [
            (level[-1], s) for s, level in enumerate(levels) if s not in taken and len(level) <= min(left, gang - 1)
        ]
        part = [(level[left - 1], s) for s, level in enumerate(levels) if s not in taken and len(level) >= left]
        candidates = whole or ([] if options else part)
        if not candidates:
            break
        _, s = min(candidates)
        taken[s] = min(left, len(levels[s]))
        left -= taken[s]
    if left == 0:
        end = max(levels[s][n - 1] for s, n in taken.items()) + spread[len(taken)]
        if end < finish:
            finish, counts = end, taken
    for s, n in counts.items():
        levels[s] = sorted([*levels[s][n:], *[finish] * n])
    return finish, counts


def test_decoder_equals_a_plain_one():
    """A gang in the wrong place or a level out of order would make the search optimise something else."""
    spanned = 0
    for seed in range(300):
        yard = random_yard(stream(seed, "test-yard"))
        yard.level[:] = yard.begin
        levels = [yard.begin[s, :n].tolist() for s, n in enumerate(yard.size)]
        for i, gang in enumerate(yard.gang.tolist()):
            finish, counts = place_by_hand(levels, gang, yard.alone[i], yard.spread[i])
            assert place_gang(yard, i) == finish
            assert {s: n for s, n in enumerate(yard.counts.tolist()) if n} == counts
            assert [yard.level[s, :n].tolist() for s, n in enumerate(yard.size)] == levels
            spanned += len(counts) > 1
    assert spanned > 100, "spanning gangs must be part of the comparison"


def test_beats_every_planner_it_is_the_yardstick_for():
    """At the paper's scale; a yardstick that a scheduler beats is none."""
    for seed, setup in ((0, "P200"), (1, "PNAT"), (2, "M15")):
        case = instance(seed, 20, SETUPS[setup])
        shortest = run_case(case, BestKnown(effort=200), seed=seed).makespan_s
        assert shortest < min(run_case(case, planner).makespan_s for planner in (SjfBco(lambda_=8), ListScheduling()))
