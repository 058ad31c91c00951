"""What draws of unstated parameters show, in words and tables for a notebook."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger import inference
from artifact.unknowns import Unknown


def labels(draws: inference.Draws, published: pd.DataFrame) -> "pd.Series[str]":
    """Figure, scheduler and point of every published number, by id."""
    listed = published.set_index("id").loc[list(draws.values.columns)]
    return listed["where"] + ", " + listed["series"] + ", " + listed["x"]


def prior_ranges(unknowns: Iterable[Unknown], readings: Mapping[str, Mapping[str, Any]] | None = None) -> pd.DataFrame:
    """A row per unknown: its prior range, why it is unknown, and its value in each reading."""
    rows = {
        u.name: [", ".join(map(str, u.choices)) or f"{u.low:g} to {u.high:g} ({u.scale})", u.says]
        + ["as drawn" if values[u.name] is None else str(values[u.name]) for values in (readings or {}).values()]
        for u in unknowns
    }
    return pd.DataFrame(rows, index=["prior", "why", *(readings or {})]).T


def what_remains(draws: inference.Draws, names: "pd.Series[str]") -> str:
    """What no draw brings out, what contradicts what, and which statement would settle most, as a list in Markdown."""
    numbers, hits = inference.by_number(draws), inference.hits(draws)
    inside = pd.DataFrame(draws.errors <= 1.0, columns=draws.values.columns)
    never = numbers.index[numbers["share"] == 0]
    pairs, decisive = inference.never_together(draws), inference.decisive(draws)
    held = inference.held_out(draws).mean()
    lines = [
        f"* The best of {len(hits)} draws brings out {hits.max()} of {len(numbers)} numbers; "
        f"half of the draws bring out at most {np.median(hits):.0f}."
    ]
    for where in draws.where.unique():
        ids = list(draws.where.index[draws.where == where])
        lines.append(f"* {where}: at most {inside[ids].sum(axis=1).max()} of {len(ids)} numbers in one draw.")
    lines += [
        "* Brought out by no draw: " + ("; ".join(names[never]) or "none") + ".",
        f"* {len(pairs)} pairs come out alone, but never together, though by chance they would have met in five draws.",
        f"* The one statement that would narrow the results most is about `{decisive.index[0]}`: it explains "
        f"{decisive.iloc[0]:.0%} of the distance's variance; "
        f"the next is `{decisive.index[1]}` ({decisive.iloc[1]:.0%}).",
        f"* Held out: parameters fitted to half of the figures bring out {held['fitted']:.0%} of the numbers "
        f"in the rest; draws from the prior, {held['prior']:.0%}.",
    ]
    return "\n".join(lines)


def joined_by_and(draws: inference.Draws, first: str, second: str, names: "pd.Series[str]") -> str:
    """In how many draws each of two numbers comes out, and in how many both do, as an item of a list in Markdown."""
    one, other = ((draws.values[name] - draws.published[name]).abs() <= draws.within[name] for name in (first, second))
    alone = f"{names[first]} comes out in {one.sum()} draws, {names[second]} in {other.sum()}"
    return f"* {alone}, both in {(one & other).sum()}."
