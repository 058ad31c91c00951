"""What a paper's unstated parameters would have to be: summaries of a table of draws.

Each draw is a set of parameters from their prior ranges (`artifact.unknowns`) with the numbers that a run gave for
it. A number is *brought out* by a draw if it lies within the tolerance of its claim. The distance of a draw from the
paper is the root mean square, over the published numbers, of the error in units of the tolerance; no number counts for
more than `CAP`, so that one that cannot be met does not decide about the others. Nothing here enters a verdict.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.ledger.claims import read_claims
from artifact.ledger.published import read_listed
from artifact.ledger.verdicts import allowed
from artifact.unknowns import PARAMETER_PREFIX
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT
from rarlib.model.seeds import stream

CAP = 5.0
"""The largest error that a number contributes to a distance, in tolerances."""
_KEPT, _FEWEST = 0.01, 20
"""The nearest draws are this share of all, and no fewer than so many."""
_EXPECTED = 5.0
"""Pairs are called contradictory only if independent numbers would have met in at least so many draws."""
_BINS, _SPLITS = 10, 50


@dataclass(frozen=True)
class Draws:
    """A table of draws, side by side with the published numbers.

    Attributes:
        parameters: a row per draw, a column per parameter; a choice as its position.
        values: a row per draw, a column per published id; NaN where the run gave none.
        within: how far a value may lie from it, by id.
        where: the figure or table that prints it, by id.
    """

    parameters: pd.DataFrame
    values: pd.DataFrame
    published: "pd.Series[float]"
    within: "pd.Series[float]"
    where: "pd.Series[str]"

    @property
    def errors(self) -> NDArray[np.float64]:
        """Distance from each published number in tolerances, shape (draws, numbers); infinite where there is none."""
        off = (self.values - self.published).abs() / self.within
        return off.fillna(math.inf).to_numpy(dtype=float)

    def distance(self, among: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Distance of each draw from the paper, over all numbers or some of them."""
        errors = np.minimum(self.errors if among is None else self.errors[:, list(among)], CAP)
        found: NDArray[np.float64] = np.sqrt(np.mean(errors**2, axis=1))
        return found

    def nearest(self, among: Sequence[int] | None = None) -> NDArray[np.intp]:
        """The draws nearest to the paper, nearest first."""
        count = min(len(self.values), max(_FEWEST, math.ceil(_KEPT * len(self.values))))
        return np.argsort(self.distance(among), kind="stable")[:count]


def read_draws(table: pd.DataFrame) -> Draws:
    """Arrange a tidy table of draws.

    Raises:
        InputError: for an id that is not a published number.
    """
    wide = table.pivot_table(index="seed", columns="metric", values="value", sort=False, dropna=False)
    named = [str(name) for name in wide.columns if str(name).startswith(PARAMETER_PREFIX)]
    ids = [str(name) for name in wide.columns if str(name) not in named]
    listed = read_listed(ROOT / "data").set_index("id")
    for name in ids:
        if name not in listed.index or listed.loc[name, "value"] == "true":
            raise InputError("not a published number", file="table of draws", field=name)
    published = listed.loc[ids, "value"].astype(float)
    answers = read_claims(ROOT / "config/claims", set(listed.index))
    within = pd.Series({name: allowed(answers[name], published[name]) for name in ids}, dtype=float)
    return Draws(
        wide[named].set_axis([name.removeprefix(PARAMETER_PREFIX) for name in named], axis=1),
        wide[ids],
        published,
        within.where(within > 0, 0.1 * published.abs()),
        listed.loc[ids, "where"],
    )


def hits(draws: Draws) -> NDArray[np.int64]:
    """How many published numbers each draw brings out."""
    return (draws.errors <= 1.0).sum(axis=1)


def best(draws: Draws) -> pd.DataFrame:
    """The five draws that bring out the most numbers, nearest first among equals: hits, distance, parameters."""
    table = pd.DataFrame({"hits": hits(draws), "distance": draws.distance()}, index=draws.values.index)
    table = table.join(draws.parameters)
    return table.sort_values(["hits", "distance"], ascending=[False, True], kind="stable").head(5)


def by_number(draws: Draws) -> pd.DataFrame:
    """Each published number: share of draws that bring it out, among all and among the nearest, and the nearest value.

    A number with share 0 remains contradictory whatever the parameters are.
    """
    inside = draws.errors <= 1.0
    nearest = np.argmin(np.where(np.isfinite(draws.errors), draws.errors, np.inf), axis=0)
    values = draws.values.to_numpy(dtype=float)
    return pd.DataFrame(
        {
            "where": draws.where,
            "published": draws.published,
            "share": inside.mean(axis=0),
            "share_nearest": inside[draws.nearest()].mean(axis=0),
            "closest": values[nearest, np.arange(values.shape[1])],
        }
    )


def never_together(draws: Draws) -> pd.DataFrame:
    """Pairs of numbers that some draws bring out, but none brings out together.

    Returns:
        A row per pair: `first`, `second`, and in how many draws they would have met if they were independent (pairs
        with fewer than five are left out).
    """
    inside = draws.errors <= 1.0
    single, count = inside.sum(axis=0), len(inside)
    together = inside.T.astype(np.int64) @ inside.astype(np.int64)
    ids = list(draws.values.columns)
    found = [
        (ids[i], ids[j], single[i] * single[j] / count)
        for i, j in combinations(range(len(ids)), 2)
        if not together[i, j] and single[i] * single[j] / count >= _EXPECTED
    ]
    table = pd.DataFrame(found, columns=["first", "second", "expected"])
    return table.sort_values("expected", ascending=False, kind="stable").reset_index(drop=True)


def posterior(draws: Draws) -> pd.DataFrame:
    """Each parameter among the nearest draws: quantiles 5, 50 and 95 %, and its range in units of the prior's range."""
    kept = draws.parameters.iloc[draws.nearest()]
    low, middle, high = (kept.quantile(share) for share in (0.05, 0.5, 0.95))
    prior = draws.parameters.quantile(0.95) - draws.parameters.quantile(0.05)
    width = ((high - low) / prior).where(prior > 0, math.nan)
    return pd.DataFrame({"low": low, "median": middle, "high": high, "width": width})


def decisive(draws: Draws) -> "pd.Series[float]":
    """Share of the distance's variance that each parameter explains alone, largest first.

    The parameter at the top is the one whose statement by the authors would narrow the results most.
    """
    distance = pd.Series(draws.distance(), index=draws.parameters.index)
    shares = {str(name): _explained(draws.parameters[name], distance) for name in draws.parameters}
    return pd.Series(shares, dtype=float).sort_values(ascending=False, kind="stable")


def main_effects(draws: Draws) -> pd.DataFrame:
    """Share of each number's variance (of its logarithm) that each parameter explains alone: what it is about.

    Returns:
        A row per parameter, a column per published id; 0 where a number hardly varies.
    """
    table = {}
    for name in draws.values:
        given = draws.values[name][draws.values[name] > 0].map(math.log)
        known = draws.parameters.reindex(given.index)
        table[name] = {parameter: _explained(known[parameter], given) for parameter in known}
    return pd.DataFrame(table)


def _explained(values: "pd.Series[float]", target: "pd.Series[float]") -> float:
    """The correlation ratio over ten groups of equal size (fewer for a choice), less what chance alone gives."""
    groups = values if values.nunique() <= _BINS else pd.qcut(values.rank(method="first"), _BINS, labels=False)
    between = float(((target.groupby(groups).transform("mean") - target.mean()) ** 2).sum())
    total, chance = float(((target - target.mean()) ** 2).sum()), (groups.nunique() - 1) / max(len(target) - 1, 1)
    return max(0.0, between / total - chance) if total > 0 else 0.0


def held_out(draws: Draws) -> pd.DataFrame:
    """Fit the parameters on half of the figures, predict the others.

    Figures (or numbers, if there are fewer than four figures) are split at random. The draws nearest to the first half
    are kept; the share of the second half's numbers that they bring out is compared with that of all draws.

    Returns:
        One row per split: `fitted`, the share among the draws kept, and `prior`, that among all draws.
    """
    inside = draws.errors <= 1.0
    places = draws.where.to_numpy()
    groups = places if len(set(places)) >= 4 else np.array(draws.values.columns)
    names, rng, found = sorted(set(groups)), stream(0, "held out"), []
    for _ in range(_SPLITS):
        chosen = set(rng.permutation(names)[: len(names) // 2])
        first = [k for k, group in enumerate(groups) if group in chosen]
        rest = [k for k, group in enumerate(groups) if group not in chosen]
        kept = draws.nearest(first)
        found.append((inside[kept][:, rest].mean(), inside[:, rest].mean()))
    return pd.DataFrame(found, columns=["fitted", "prior"])
