"""Which reading of a paper its fitted numbers choose.

The search knows nothing but the loss over the fitted numbers. Readings that this loss cannot tell apart from the best
one are equals, and of these the one nearest to the text wins: from each of the best equals, unknown by unknown in the
order of the plan, the text's value is taken back unless the reading then can be told apart from the best. What differs
from the text in the fewest unknowns is chosen; of several such readings, the one with the smallest loss. An unknown
that the fitted numbers do not identify thus keeps the value nearest to the text.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.reading import MISSING, Outcomes, PaperPlan, outside, reading_loss
from rarlib.model.later import Later
from rarlib.model.seeds import stream

_optimize = Later("scipy.optimize")
_qmc = Later("scipy.stats.qmc")

INSTANCE_RESAMPLES, SURE = 400, 0.975
"""Resamples of the instances, and the share of them in which a reading must be worse to be told apart."""

ROUNDED = 0.02
"""Losses of runs without chance that are this close are equal: so much may numbers of two digits be rounded by.

A number printed as 1.5 lies between 1.45 and 1.55, one printed as 5.3 between 5.25 and 5.35: 3 and 1 %.
"""

RunValues = list[Mapping[str, float]]


class Runs:
    """Outcomes of readings; each is computed once, and a file lets an interrupted fit go on where it was.

    `path`: of the file, a line per outcome; None keeps them in memory only.
    """

    def __init__(self, outcomes: Outcomes, path: Path | None = None) -> None:
        self._outcomes, self._path = outcomes, path
        self._known: dict[str, Mapping[str, float]] = {}
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    self._known |= json.loads(line)
                except ValueError:  # empty, or the run was killed while it wrote the line
                    continue

    def of(self, parameters: Mapping[str, Any], seeds: Sequence[int], cheap: bool = True) -> RunValues:
        """Outcomes of a reading on the instances of some seeds, the same for every reading."""
        return [self._one(parameters, seed, cheap) for seed in seeds]

    def _one(self, parameters: Mapping[str, Any], seed: int, cheap: bool) -> Mapping[str, float]:
        cheap_key, key = (json.dumps([dict(sorted(parameters.items())), seed, only]) for only in (True, False))
        if key in self._known or not cheap:
            return self._kept(key, parameters, seed, cheap=False)
        return self._kept(cheap_key, parameters, seed, cheap=True)

    def _kept(self, key: str, parameters: Mapping[str, Any], seed: int, *, cheap: bool) -> Mapping[str, float]:
        if key not in self._known:
            self._known[key] = self._outcomes(parameters, seed, cheap)
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps({key: self._known[key]}))
        return self._known[key]


def at(plan: PaperPlan, shares: Sequence[float]) -> dict[str, Any]:
    """The reading at a point of the unit cube, one coordinate for each unknown; numbers are rounded to three digits."""
    found = {}
    for unknown, share in zip(plan.unknowns, shares, strict=True):
        (value,) = unknown.at(np.array([share]))
        found[unknown.name] = _rounded(value)
    return found


def _rounded(value: Any) -> Any:
    return float(f"{value:.3g}") if isinstance(value, float) else value


def objective(plan: PaperPlan, values: RunValues) -> float:
    """The loss, and more than any loss where the paper's subject is not as alive as the plan asks for."""
    beyond = outside(plan, values)
    return reading_loss(plan, values) + (2.0 * MISSING + beyond if beyond else 0.0)


def clearly_worse(plan: PaperPlan, values: RunValues, best: RunValues) -> bool:
    """Whether a reading is worse than the best one in nearly all resamples of the instances that both have run.

    Where nothing is random there is one instance, and a reading is worse if its loss is larger by more than `ROUNDED`.
    """
    if len(values) == 1:
        return reading_loss(plan, values) > reading_loss(plan, best) + ROUNDED
    rng, worse = stream(0, "readings", "resamples"), 0
    for _ in range(INSTANCE_RESAMPLES):
        drawn = rng.integers(0, len(values), len(values))
        worse += reading_loss(plan, [values[i] for i in drawn]) > reading_loss(plan, [best[i] for i in drawn])
    return worse >= SURE * INSTANCE_RESAMPLES


def search_readings(plan: PaperPlan, runs: Runs) -> list[dict[str, Any]]:
    """Readings with small losses on the search's instances, best first."""
    seen: dict[str, tuple[float, dict[str, Any]]] = {}
    seeds = range(plan.seeds[0])

    def value_of(shares: Sequence[float]) -> float:
        reading = at(plan, shares)
        value = objective(plan, runs.of(reading, seeds, plan.cheap))
        seen[json.dumps(reading, sort_keys=True)] = (min(value, 1e9), reading)
        return min(value, 1e9)

    count = len(plan.unknowns)
    start = _qmc.LatinHypercube(count, rng=stream(0, "readings", plan.paper)).random(plan.effort.population)
    _optimize.differential_evolution(
        value_of, [(0.0, 1.0)] * count, init=start, maxiter=plan.effort.generations, polish=False, tol=0.0,
        rng=stream(1, "readings", plan.paper), mutation=(0.4, 0.9), recombination=0.8,
    )  # fmt: skip
    return [reading for _, reading in sorted(seen.values(), key=lambda each: each[0])]


def equals(plan: PaperPlan, runs: Runs) -> list[dict[str, Any]]:
    """Readings of the search that judging cannot tell apart from the best of them, which comes first."""
    judged = [
        (objective(plan, values), reading, values)
        for reading in search_readings(plan, runs)[: plan.effort.finalists]
        for values in [runs.of(reading, plan.judged, plan.cheap)]
    ]
    judged.sort(key=lambda each: each[0])
    best = judged[0][2]
    return [
        reading for _, reading, values in judged if not outside(plan, values) and not clearly_worse(plan, values, best)
    ] or [judged[0][1]]


def nearest_to_the_text(
    plan: PaperPlan, runs: Runs, start: Mapping[str, Any], goal: RunValues, met: list[dict[str, Any]]
) -> dict[str, Any]:
    """A reading with the text's values for all unknowns whose change cannot be told apart from the goal."""
    current, changed = dict(start), True
    while changed:
        changed = False
        for name, value in plan.text.items():
            trial = {**current, name: value}
            if trial != current:
                values = runs.of(trial, plan.judged, plan.cheap)
                met.append(trial)
                if not outside(plan, values) and not clearly_worse(plan, values, goal):
                    current, changed = trial, True
    return current


def fit(plan: PaperPlan, runs: Runs) -> dict[str, Any]:
    """The reading that the fitted numbers choose."""
    found, met = equals(plan, runs), list[dict[str, Any]]()

    def judged(reading: Mapping[str, Any]) -> RunValues:
        return runs.of(reading, plan.judged, plan.cheap)

    goal = judged(found[0])
    near = [nearest_to_the_text(plan, runs, each, goal, met) for each in found[: plan.effort.starts]]
    while plan.effort.onwards and met:
        best = min(met, key=lambda each: objective(plan, judged(each)))
        if objective(plan, judged(best)) >= objective(plan, goal):
            break
        goal, met = judged(best), []
        near = [nearest_to_the_text(plan, runs, best, goal, met)]
    return min(near, key=lambda each: (differing(plan, each), reading_loss(plan, judged(each))))


def differing(plan: PaperPlan, reading: Mapping[str, Any]) -> int:
    """In how many unknowns a reading differs from the text."""
    return sum(reading[name] != value for name, value in plan.text.items())


def steps(plan: PaperPlan, reading: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Unknown and value, for all choices and five points of each range, the text's value and the reading's."""
    found: list[tuple[str, Any]] = []
    for unknown in plan.unknowns:
        tried = unknown.choices or tuple(map(_rounded, unknown.at(np.linspace(0.0, 0.999999, 5))))
        values = dict.fromkeys([*tried, plan.text[unknown.name], reading[unknown.name]])
        found += [(unknown.name, value) for value in values]
    return found


def along(plan: PaperPlan, runs: Runs, reading: Mapping[str, Any]) -> pd.DataFrame:
    """The loss along each unknown, all others as in a reading: what the fitted numbers say about it.

    Returns:
        A row for each of `steps`: unknown, value, text and chosen (whether the value is the text's, and the reading's),
        loss, alive (within the plan's limits), worse (told apart from the reading).
    """
    goal, rows = runs.of(reading, plan.judged, plan.cheap), []
    for name, value in steps(plan, reading):
        values = runs.of({**reading, name: value}, plan.judged, plan.cheap)
        rows.append(
            {
                "unknown": name,
                "value": str(value),
                "text": value == plan.text[name],
                "chosen": value == reading[name],
                "loss": round(reading_loss(plan, values), 4),
                "alive": not outside(plan, values),
                "worse": clearly_worse(plan, values, goal),
            }
        )
    return pd.DataFrame(rows)
