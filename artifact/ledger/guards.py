"""Guards against fooling oneself with a fitted reading: what other choices score on the numbers that test it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.fit import Runs, RunValues, clearly_worse, equals, fit, steps
from artifact.ledger.inference import Draws, never_together
from artifact.ledger.reading import ALIVE, NEAR, Effort, PaperPlan, mean_values, numbers_met, reading_loss
from artifact.unknowns import draw_parameters

SMALLER = Effort(30, 10, 10, 1)
"""Of a search for which every number of the paper has to be run, on so many instances as `FEWER` says."""

FEWER = (2, 8)


MOVED = 0.01
"""A number moves if it changes by more than this share."""

_Reading = Mapping[str, Any]

GUARD_COLUMNS = ["what", "fitted", "of_fitted", "tested", "of_tested", "loss", "alive", "made"]


def whole_search(plan: PaperPlan) -> PaperPlan:
    """The plan of a search for which every number is run: smaller, unless nothing is random and one run says all."""
    return plan if plan.seeds[1] == 1 else plan._replace(seeds=FEWER, effort=SMALLER)


def everything(plan: PaperPlan) -> tuple[str, ...]:
    """All numbers that a reading is compared with, fitted and tested."""
    return (*plan.fitted, *plan.tested)


def fitted_on(plan: PaperPlan, fitted: Sequence[str]) -> PaperPlan:
    """The same paper with other numbers fitted; all others of it are tested."""
    tested = tuple(name for name in everything(plan) if name not in fitted)
    return plan._replace(fitted=tuple(fitted), tested=tested, cheap=False)


def anything_goes(plan: PaperPlan) -> PaperPlan:
    """The same paper where the paper's subject need not be alive."""
    return plan._replace(alive=(-math.inf, math.inf))


def moved(plan: PaperPlan, runs: Runs, reading: _Reading) -> float:
    """Share of all numbers that change by more than `MOVED` when the paper's subject is switched off."""
    ids, seeds = everything(plan), plan.judged
    on = mean_values(runs.of(reading, seeds, cheap=False), ids)
    off = mean_values(runs.of({**reading, **plan.without}, seeds, cheap=False), ids)
    known = np.isfinite(on) & np.isfinite(off)
    return float(np.mean(np.abs(off[known] / on[known] - 1.0) > MOVED))


def numbers(plan: PaperPlan, runs: Runs, readings: Mapping[str, _Reading]) -> pd.DataFrame:
    """Every published number beside ours.

    `readings`: by name of a column. Under `comes_out` stands whether the number comes out in the first one, under
    `spread` its standard deviation over instances.
    """
    ids = everything(plan)
    found = {name: runs.of(each, plan.judged, cheap=False) for name, each in readings.items()}
    first = np.array([[one.get(name, math.nan) for name in ids] for one in next(iter(found.values()))])
    roles = ["fitted" if name in plan.fitted else "tested" for name in ids]
    table = pd.DataFrame({"id": ids, "where": [plan.where[name] for name in ids], "role": roles})
    table["published"] = [plan.published[name] for name in ids]
    for name, values in found.items():
        table[name] = np.round(mean_values(values, ids), plan.digits)
    near = np.abs(mean_values(next(iter(found.values())), ids) / table["published"] - 1.0) <= NEAR
    table["comes_out"] = near
    known = np.isfinite(first).sum(axis=0) > 1
    table["spread"] = math.nan
    if known.any():
        table["spread"] = np.where(known, np.round(np.nanstd(first, axis=0, ddof=1), plan.digits), math.nan)
    return table


def row(plan: PaperPlan, what: str, values: RunValues, made: str) -> tuple[Any, ...]:
    """Scores of a reading, as a row of the table of guards; `made` says how."""
    alive = float(np.mean([one[ALIVE] for one in values]))
    scores = (
        numbers_met(plan, values, plan.fitted),
        len(plan.fitted),
        numbers_met(plan, values, plan.tested),
        len(plan.tested),
    )
    return (what, *scores, round(reading_loss(plan, values), 3), round(alive, 3), made)


def equals_of(plan: PaperPlan, runs: Runs) -> list[tuple[Any, ...]]:
    """Fewest and most tested numbers among the readings of the search that fit as well as the best of them."""
    found = [runs.of(each, plan.judged, cheap=False) for each in equals(plan, runs)]
    found.sort(key=lambda values: numbers_met(plan, values, plan.tested))
    made = f"of {len(found)} readings of the search that cannot be told apart from the best"
    return [row(plan, "as good a fit, worst", found[0], made), row(plan, "as good a fit, best", found[-1], made)]


def left_to_the_text(plan: PaperPlan, runs: Runs, reading: _Reading, table: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Scores of the reading with another value of one unknown, where the fitted numbers do not tell it apart.

    Returns:
        The rows with the fewest and with the most tested numbers.
    """
    free = table["alive"] & ~table["worse"] & ~table["chosen"]
    changes = [change for change, is_free in zip(steps(plan, reading), free, strict=True) if is_free]
    made = f"of {len(changes)} changes of one unknown that cannot be told apart"
    found = [
        row(plan, f"reading, but {name} = {value}", runs.of({**reading, name: value}, plan.judged, cheap=False), made)
        for name, value in changes
    ]
    found.sort(key=lambda each: each[3])
    return [found[0], found[-1]] if found else []


def by_hand(plan: PaperPlan, runs: Runs, reading: _Reading) -> list[tuple[Any, ...]]:
    """Scores of the readings that the file states, and whether the fitted numbers tell them from the chosen one."""
    goal, rows = runs.of(reading, plan.judged), []
    for name, (reason, each) in plan.by_hand.items():
        values = runs.of(each, plan.judged, cheap=False)
        fits = "fits worse" if clearly_worse(plan, values, goal) else "fits no worse"
        rows.append(row(plan, f"by hand, {name}", values, f"{reason}; {fits} than the reading"))
    return rows


def pool(plan: PaperPlan, runs: Runs) -> list[RunValues]:
    """Outcomes of random readings, by the reading; as many as the plan says."""
    drawn = draw_parameters(plan.unknowns, plan.effort.random).to_dict("records")
    few = plan.judged[: plan.effort.instances]
    return [runs.of({str(name): value for name, value in each.items()}, few, cheap=False) for each in drawn]


def chance(plan: PaperPlan, drawn: Sequence[RunValues]) -> list[tuple[Any, ...]]:
    """What random readings score: mean, median and 95th percentile."""
    scores = np.array([(numbers_met(plan, each, plan.fitted), numbers_met(plan, each, plan.tested)) for each in drawn])
    losses = np.array([reading_loss(plan, each) for each in drawn])
    made = f"{len(drawn)} random readings (Latin hypercube), {len(drawn[0])} instances each"
    kinds = {
        "mean": (scores.mean(axis=0), losses.mean()),
        "median": (np.median(scores, axis=0), np.median(losses)),
        "95 %": (np.quantile(scores, 0.95, axis=0), np.quantile(losses, 0.05)),
    }
    return [
        (f"chance, {name}", round(float(a), 1), len(plan.fitted), round(float(b), 1), len(plan.tested),
         round(float(lost), 3), math.nan, made)
        for name, ((a, b), lost) in kinds.items()
    ]  # fmt: skip


def other_figures(plan: PaperPlan, runs: Runs) -> list[tuple[Any, ...]]:
    """Each figure in turn is the fitted one, by a search of its own."""
    rows, small = [], whole_search(plan)
    for figure in dict.fromkeys(plan.where[name] for name in plan.tested):
        own = fitted_on(plan, [name for name in everything(plan) if plan.where[name] == figure])
        reading = fit(fitted_on(small, own.fitted), runs)
        rows.append(row(own, f"fitted on {figure}", runs.of(reading, plan.judged, cheap=False), _how(small)))
    return rows


def best_of_all(plan: PaperPlan, runs: Runs) -> list[tuple[Any, ...]]:
    """The best joint readings over all numbers: no reading of the space can be expected to do better."""
    rows = []
    for what, limits in (("ceiling", plan), ("ceiling, subject need not be alive", anything_goes(plan))):
        whole = fitted_on(whole_search(limits), everything(plan))
        found = [runs.of(each, plan.judged, cheap=False) for each in equals(whole, runs)]
        best = max(found, key=lambda values: numbers_met(plan, values, everything(plan)))
        rows.append(row(plan, what, best, f"fitted on all numbers; {_how(whole)}"))
    return rows


def best_of_pool(plan: PaperPlan, drawn: Sequence[RunValues]) -> list[tuple[Any, ...]]:
    """Instead of `other_figures` and `best_of_all` where runs are long: the best of the random readings.

    For each figure of the paper the one with the smallest loss there, and at last the one that brings out the most
    numbers of all: no more can be expected of a joint reading than about this. A figure that no draw runs is left out.
    """
    rows, made = [], f"the best of {len(drawn)} random readings"
    for figure in dict.fromkeys(plan.where[name] for name in everything(plan)):
        own = fitted_on(plan, [name for name in everything(plan) if plan.where[name] == figure])
        if any(name in each for each in drawn[0] for name in own.fitted):
            rows.append(row(own, f"fitted on {figure}", min(drawn, key=lambda each: reading_loss(own, each)), made))
    whole = fitted_on(plan, everything(plan))
    most = max(drawn, key=lambda each: numbers_met(plan, each, everything(plan)))
    return [*rows, row(whole, "ceiling", most, made)]


def excluding(plan: PaperPlan, drawn: Sequence[RunValues]) -> pd.DataFrame:
    """Pairs of published numbers that random readings bring out, but none brings out together.

    Returns:
        Columns first, second (published ids), and expected: in how many draws they would meet if they were independent.
    """
    ids = everything(plan)
    values = pd.DataFrame([mean_values(each, ids) for each in drawn], columns=list(ids))
    published = pd.Series({name: plan.published[name] for name in ids})
    draws = Draws(
        pd.DataFrame(index=values.index), values, published, NEAR * published, pd.Series(plan.where)[list(ids)]
    )
    return never_together(draws).round({"expected": 1})


def _how(plan: PaperPlan) -> str:
    tried, (search, judged) = plan.effort.population * (plan.effort.generations + 1), plan.seeds
    if judged == 1:
        return f"search of {tried} readings"
    return f"search of {tried} readings on {search} instances, judged on {judged}"
