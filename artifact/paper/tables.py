"""A table's summary for a paper in LaTeX (booktabs): a row for each case and metric."""

import pandas as pd

from artifact.paper.numbers import in_math
from artifact.paper.summary import shown_value
from rarlib.plot.latex import latex

_HEADLINE = "headline"
_PAGE = 45
"""Lines that fit on a page; longer tables are longtables, which need a document, or part of one, in one column."""
MOST = 120
"""Lines of a table; for more of them only the first set-up is shown, then only its first reading, and so on."""

_NAMES = {"setup": "set-up", "reading": "reading", "scheduler": "scheduler", "x": "x"}
_NARROWED = ("setup", "reading", "x")


def table_in_latex(name: str, summary: pd.DataFrame) -> str:
    """The headline's reading, and as many cases as fit.

    Returns:
        A tabular, or a longtable with a caption and the label tab:NAME if it does not fit on a page.
    """
    of_headline = summary["reading"] == _HEADLINE
    chosen = summary[of_headline] if of_headline.any() else summary
    for column in _NARROWED:
        if len(chosen) > MOST and chosen[column].nunique() > 1:
            chosen = chosen[chosen[column] == chosen[column].iloc[0]]
    if chosen.empty:
        return "% nothing to summarise\n"
    apart = [column for column in _NAMES if chosen[column].nunique() > 1] or ["scheduler"]
    numbers = [shown_value(*row) for row in chosen[["mean", "low", "high"]].itertuples(index=False)]
    units = chosen["unit"].map(lambda unit: "" if unit in ("", "1") else f" ({unit})")
    x_names = "/".join(each for each in chosen["x_name"].unique() if each)
    table = pd.DataFrame({_NAMES[column]: chosen[column].map(latex) for column in apart}).rename(columns={"x": x_names})
    table["quantity"] = (chosen["metric"] + units).map(latex)
    table["mean"], table["95 % interval"] = zip(*map(_in_math, numbers), strict=True)
    table["n"] = chosen["n"]
    long = len(table) > _PAGE
    return table.rename(columns=latex).to_latex(
        index=False,
        escape=False,
        longtable=long,
        caption=_caption(name, summary, chosen, apart) if long else None,
        label=f"tab:{name}" if long else None,
    )


def _in_math(said: tuple[str, str]) -> tuple[str, str]:
    value, interval = said
    return in_math(value), in_math(interval)


def _caption(name: str, summary: pd.DataFrame, chosen: pd.DataFrame, apart: list[str]) -> str:
    """What the numbers are, and what is the same in all rows."""
    left = []
    for column in _NAMES.keys() - apart:
        if value := chosen[column].iloc[0]:
            of = chosen["x_name"].iloc[0] if column == "x" else _NAMES[column]
            left.append(f"{of} {value}{' only' if summary[column].nunique() > 1 else ''}")
    text = f"{name}: mean, 95 % interval over n seeds"
    return latex("; ".join([text, *sorted(left)]) + ".")
