"""Table 1 of PipeDream under readings of what the paper leaves open, as tables and in words."""

from collections.abc import Iterable

import pandas as pd
from pandas.io.formats.style import Styler

from rarlib.papers.pipedream.figures.evaluation import nominal, published_speedups
from rarlib.plot.frames import pick


def systems_table(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Speed-ups over data parallelism of the printed configurations, a row per set-up, a column per reading.

    Args:
        table: tidy rows of table1.
        published: the published numbers.

    Returns:
        Columns `published`, `headline`, and the names of `systems.py`; NaN where a system does not apply.
    """
    speedups = table[table["metric"] == "simulated_speedup"]
    ours = speedups[(speedups["x_name"] == "system") & (speedups["reading"] == "printed-default")]
    wide = ours.pivot_table(index="setup", columns="x", values="value", sort=False)
    headline = pick(nominal(speedups), reading="printed").set_index("setup")["value"]
    wide.insert(0, "headline", headline)
    wide.insert(0, "published", published_speedups(published))
    return wide.rename_axis(columns=None)


def _hit(by_reading: pd.DataFrame) -> pd.DataFrame:
    printed = by_reading["published"]
    return by_reading.drop(columns="published").sub(printed, axis=0).abs().le(0.1 * printed, axis=0)


def hits_by_reading(by_reading: pd.DataFrame) -> "pd.Series[int]":
    """How many speed-ups of `systems_table` each reading brings within 10 %."""
    return _hit(by_reading).sum()


def reached(by_reading: pd.DataFrame) -> int:
    """How many speed-ups some reading brings within 10 %."""
    return int(_hit(by_reading).any(axis=1).sum())


def mark_hits(by_reading: pd.DataFrame) -> Styler:
    """The table with values within 10 % of the published ones in bold."""
    bold = _hit(by_reading).map(lambda hit: "font-weight: bold" if hit else "")
    bold = bold.reindex(columns=by_reading.columns, fill_value="")
    return by_reading.style.format("{:.2f}", na_rep="").apply(lambda _: bold, axis=None)


def readings_shown(by_reading: pd.DataFrame) -> tuple[Styler, Styler]:
    """Two tables of `systems_table`: readings of the links for all rows; those of the minibatch where it is open."""
    always = ["published", "headline"]
    links = [name for name in map(str, by_reading) if "links" in name and "quarter" not in name]
    fewer = [name for name in map(str, by_reading) if "quarter" in name]
    small = by_reading[by_reading["quarter-nominal"].notna()]
    return mark_hits(by_reading[[*always, *links]]), mark_hits(small[[*always, *fewer]])


def hits_in_words(by_reading: pd.DataFrame) -> str:
    """In words: how many speed-ups the headline, the best reading and all of them together bring out."""
    hit = hits_by_reading(by_reading)
    return (
        f"The headline brings out {hit['headline']} of {len(by_reading)} speed-ups, the best single reading "
        f"(`{hit.idxmax()}`) {hit.max()}; some reading or other, {reached(by_reading)}."
    )


def labels_of(published: pd.DataFrame, ids: Iterable[str]) -> "pd.Series[str]":
    """Published numbers in words, by id."""
    rows = published[published["id"].isin(list(ids))].set_index("id")
    return (rows["series"] + ", " + rows["x"]).str.replace("epoch-time speed-up over DP", "speed-up")


def agreement(fitted: float, prior: float) -> str:
    """What it means how many held-out numbers fitted parameters and blind draws bring out."""
    if fitted >= 1.5 * prior:
        return "So the parts of the table agree on some parameters."
    return (
        "So one part says little about the other: as modelled here, no one set of machines and software explains both."
    )
