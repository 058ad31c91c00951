"""How a paper is read: what it leaves open, which of its numbers are fitted, and how near a reading comes.

A *reading* is one joint choice of everything that a paper leaves open. `config/readings/PAPER.yaml` lists the unknowns
and the published numbers that are fitted, and holds the reading that `artifact.ledger.fit` has chosen by these numbers
alone; all other numbers of the paper test it. docs/readings.md has the rule.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.ledger.published import read_listed
from artifact.unknowns import READINGS_FOLDER, Unknown, read_unknowns
from rarlib.model.errors import InputError, require_keys
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT

NEAR = 0.15
"""A number comes out if the mean over instances is within this share of it."""

MISSING = 1.6
"""Most that a number adds to the loss, also where a run gives none: a factor of five."""

ALIVE = "alive"
"""Under this name `outcomes` gives how much of the paper's subject is left in a run."""

JUDGED_FROM = 1000
"""Seed of the first instance on which readings are judged."""

Outcomes = Callable[[Mapping[str, Any], int, bool], Mapping[str, float]]
"""Parameters, seed of the instance, whether only fitted numbers are wanted -> value by published id, and `ALIVE`."""

_KEYS = (
    "paper", "fitted", "orders", "alive", "violated", "seeds", "unknowns", "by_hand", "effort", "digits", "chosen",
)  # fmt: skip


class Effort(NamedTuple):
    """How much is tried.

    Attributes:
        population, generations: of the search by differential evolution.
        finalists: readings of the search that are judged on more instances.
        starts: of the equals, those from which the way back to the text is tried.
        random: random readings from the ranges of the unknowns, for chance.
        instances: of each random reading.
        onwards: whether a reading that is met on the way to the text, and fits better than the best of the search,
            takes its place.
    """

    population: int = 60
    generations: int = 45
    finalists: int = 30
    starts: int = 5
    random: int = 300
    instances: int = 3
    onwards: bool = False


class PaperPlan(NamedTuple):
    """What is open in a paper, and what decides about it.

    Attributes:
        paper: key of the paper.
        unknowns: what the paper leaves open, in the order in which they give way to the text.
        text: the value nearest to the text, by name of the unknown.
        fitted: published ids by which the reading is chosen.
        tested: all other published numbers with a value in `data/published.csv`; a number printed twice stands once.
        published: value by id.
        where: figure by id; a plot that the file names, where `data/published.csv` has several under one name.
        orders: ids whose values ascend in print.
        violated: added to the loss if all orders among the fitted numbers are violated; in proportion if some are.
        alive: least and most of the paper's subject that a reading may have.
        without: parameters that switch the subject off.
        seeds: numbers of instances in the search, and in the judgement of what it has found.
        chosen: the reading, by name of the unknown; None before the first fit.
        by_hand: other readings to compare with, by name: where they are from, and a value for each unknown.
        effort: how much is tried.
        digits: after the point, in the table of numbers.
        cheap: whether `Outcomes` has to be asked only for the numbers that the paper's file says are fitted.
    """

    paper: str
    unknowns: tuple[Unknown, ...]
    text: Mapping[str, Any]
    fitted: tuple[str, ...]
    tested: tuple[str, ...]
    published: Mapping[str, float]
    where: Mapping[str, str]
    orders: tuple[tuple[str, ...], ...]
    violated: float
    alive: tuple[float, float]
    without: Mapping[str, Any]
    seeds: tuple[int, int]
    chosen: Mapping[str, Any] | None
    by_hand: Mapping[str, tuple[str, Mapping[str, Any]]]
    effort: Effort = Effort()
    digits: int = 1
    cheap: bool = True

    @property
    def judged(self) -> range:
        """Seeds of the instances on which readings are judged; the search has others."""
        return range(JUDGED_FROM, JUDGED_FROM + self.seeds[1])


def read_plan(paper: str, folder: Path = READINGS_FOLDER, data: Path = ROOT / "data") -> PaperPlan:
    """Read `PAPER.yaml`.

    Raises:
        InputError: for an unknown key, or an id that is no published number.
    """
    path = folder / f"{paper}.yaml"
    content = yaml_file(path)
    require_keys(content, _KEYS, path, "")
    listed = read_listed(data)
    is_number = pd.to_numeric(listed["value"], errors="coerce").notna()  # the others are statements and configurations
    mine = listed[(listed["paper"] == paper) & is_number].set_index("id")
    part, orders = content["fitted"], tuple(tuple(order) for order in content["orders"])
    plots = {name: plot for plot, names in part.get("plots", {}).items() for name in names}
    twice, others = part.get("printed_twice", {}), part.get("other_kinds", ())
    for name in (*part["numbers"], *twice, *twice.values(), *others, *plots, *(each for of in orders for each in of)):
        if name not in mine.index:
            raise InputError(f"{name!r} is not a published number of {paper}", file=path, field="fitted")
    unknowns, text = read_unknowns(paper, folder)
    by_hand = content.get("by_hand", {})
    left_out = {*part["numbers"], *twice, *others}
    return PaperPlan(
        paper=paper,
        unknowns=unknowns,
        text=text,
        fitted=tuple(part["numbers"]),
        tested=tuple(str(name) for name in mine.index if name not in left_out),
        published=dict(zip(map(str, mine.index), mine["value"].astype(float), strict=True)),
        where=dict(zip(map(str, mine.index), mine["where"].astype(str), strict=True)) | plots,
        orders=orders,
        violated=float(content["violated"]),
        alive=(float(content["alive"]["at_least"]), float(content["alive"]["at_most"])),
        without=content["alive"]["without"],
        seeds=(content["seeds"]["search"], content["seeds"]["judged"]),
        chosen=content.get("chosen"),
        by_hand={name: (each["reason"], {**text, **each["values"]}) for name, each in by_hand.items()},
        effort=Effort(**content.get("effort", {})),
        digits=content.get("digits", 1),
    )


def mean_values(values: Sequence[Mapping[str, float]], ids: Sequence[str]) -> NDArray[np.float64]:
    """Mean over instances of each number, shape (ids,); NaN where most instances give none."""
    table = np.array([[one.get(name, math.nan) for name in ids] for one in values], dtype=float)
    known = np.isfinite(table)
    found = np.where(known, table, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(2 * known.sum(axis=0) > len(values), found, math.nan)


def reading_loss(plan: PaperPlan, values: Sequence[Mapping[str, float]]) -> float:
    """How far a reading is from printed numbers: the mean of |ln(ours / published)|, and what violated orders add."""
    chosen = plan.fitted
    ours = mean_values(values, chosen)
    printed = np.array([plan.published[name] for name in chosen])
    error = np.full(len(chosen), MISSING)
    known = np.isfinite(ours) & (ours > 0)
    error[known] = np.minimum(np.abs(np.log(ours[known] / printed[known])), MISSING)
    value = dict(zip(chosen, ours, strict=True))
    pairs = [pair for order in plan.orders if set(order) <= value.keys() for pair in pairwise(order)]
    violated = [not value[first] < value[second] for first, second in pairs]
    return float(error.mean() + plan.violated * (np.mean(violated) if pairs else 0.0))


def outside(plan: PaperPlan, values: Sequence[Mapping[str, float]]) -> float:
    """By how much the paper's subject is less alive than the plan asks for, or more; 0 within its limits."""
    alive = float(np.mean([one[ALIVE] for one in values]))
    return max(plan.alive[0] - alive, alive - plan.alive[1], 0.0) if math.isfinite(alive) else math.inf


def numbers_met(plan: PaperPlan, values: Sequence[Mapping[str, float]], ids: Sequence[str]) -> int:
    """How many numbers come out within `NEAR`."""
    printed = np.array([plan.published[name] for name in ids])
    with np.errstate(invalid="ignore"):
        return int((np.abs(mean_values(values, ids) / printed - 1.0) <= NEAR).sum())
