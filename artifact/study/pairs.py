"""Paired ratios: the value of one scheduler over that of another, on the same jobs of the same seed.

| table | setup | reading | scheduler | x_name | x | rows |
|---|---|---|---|---|---|---|
| pairs | trace or workload | reading and load | the first | against | the second | ratio, by metric and seed |
| pairs | the same | pooled | the first | against | the second | geometric mean of these over the settings |
| pairs | pooled | name of the statement | the first | against | the second | that over traces and settings |

Jobs of different seeds are independent, so the ratios of a row's seeds are, and their mean has an interval by
Student's t. A seed counts in a pooled row only if all of its parts were run.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from artifact.ledger.sequential import SequentialDecision, decide_statement
from artifact.study.document import STUDY_FILE, Statement
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS

POOLED = "pooled"
_AGAINST = "against"
_POINT = ["setup", "reading", "x", "seed"]


def paired(runs: pd.DataFrame, statements: Iterable[Statement], study: str) -> pd.DataFrame:
    """The table of pairs of all statements."""
    parts: list[pd.DataFrame] = []
    seen: set[tuple[str, str, str]] = set()
    for each in statements:
        ratios = _ratios(runs, each.better, each.worse, each.metric)
        rows = []
        if (each.better, each.worse, each.metric) not in seen:
            seen.add((each.better, each.worse, each.metric))
            rows.append(ratios.assign(reading=ratios["reading"] + "/" + ratios["x"]))
            rows += [_pooled(part, str(setup), POOLED) for setup, part in ratios.groupby("setup", sort=False)]
        rows.append(_pooled(ratios[ratios["setup"].isin(each.sources)], POOLED, each.name))
        names = {"scheduler": each.better, "metric": each.metric, "x": each.worse}
        parts += [row.assign(**names, x_name=_AGAINST, unit="1", experiment=f"{study}-pairs") for row in rows]
    return pd.concat(parts, ignore_index=True)[TIDY_COLUMNS] if parts else pd.DataFrame(columns=TIDY_COLUMNS)


def _ratios(runs: pd.DataFrame, better: str, worse: str, metric: str) -> pd.DataFrame:
    """Columns setup, reading, x (the load), seed, value: where both have a positive value."""
    mine = runs[(runs["metric"] == metric) & (runs["value"] > 0)]
    one, other = (mine[mine["scheduler"] == name][[*_POINT, "value"]] for name in (better, worse))
    both = one.merge(other, on=_POINT, suffixes=("", "_other"))
    return both.assign(value=both["value"] / both["value_other"])[[*_POINT, "value"]]


def _pooled(ratios: pd.DataFrame, setup: str, reading: str) -> pd.DataFrame:
    """Geometric means over the rows of each seed; seeds that lack some are left out."""
    by = np.log(ratios["value"]).groupby(ratios["seed"], sort=True)
    found = by.mean()[by.size() == by.size().max()] if len(ratios) else by.mean()
    rows = {"seed": found.index.to_numpy(), "value": np.exp(found.to_numpy())}
    return pd.DataFrame(rows).assign(setup=setup, reading=reading)


def decisions(
    runs: pd.DataFrame, statements: Iterable[Statement], looks: Sequence[int]
) -> dict[str, SequentialDecision]:
    """What the seeds at hand say about each statement, by its name."""
    found: dict[str, SequentialDecision] = {}
    for each in statements:
        ratios = _ratios(runs, each.better, each.worse, each.metric)
        pooled = _pooled(ratios[ratios["setup"].isin(each.sources)], POOLED, each.name).sort_values("seed")
        if not len(pooled):
            rule = f"no seed has a positive {each.metric} of both schedulers, so their ratio says nothing"
            raise InputError(rule, file=STUDY_FILE, field=f"statements.{each.name}")
        found[each.name] = decide_statement(pooled["value"].to_numpy(), each.than, looks)
    return found


def as_record(found: dict[str, SequentialDecision]) -> dict[str, Any]:
    """Decisions as JSON holds them."""
    return {name: {"decided": each.holds is not None, **each._asdict()} for name, each in found.items()}
