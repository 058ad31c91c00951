"""One set of unstated parameters, run while a reader watches: which published numbers it brings out."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.papers.sjf_bco.choices import RUN_READINGS
from artifact.papers.sjf_bco.figures.live import published_ratios
from artifact.papers.sjf_bco.inference import outcomes
from artifact.unknowns import FITTED_READING

AS_DRAWN = "as drawn"
"""No condition on the number of GPUs of 20 servers."""


def drawn_parameters(**chosen: Any) -> dict[str, Any]:
    """A value for each unknown: those of the reading, some replaced.

    `chosen`: values by name of the unknown; `lambda_` stands for lambda.
    """
    named = {name.rstrip("_"): None if value == AS_DRAWN else value for name, value in chosen.items()}
    return {**RUN_READINGS[FITTED_READING], **named}


def one_draw(
    published: "pd.Series[float]", within: "pd.Series[float]", labels: "pd.Series[str]", **chosen: Any
) -> Figure:
    """Our value over the published one for every number, and in the title how many lie within their tolerance.

    Args:
        published: the published numbers, by id.
        within: their tolerances, by id.
        labels: of the published numbers, by id.
        chosen: see `drawn_parameters`.
    """
    values = pd.Series(outcomes(drawn_parameters(**chosen)))[published.index]
    count = int(((values - published).abs() <= within).sum())
    title = f"{count} of {len(values)} published numbers brought out"
    return published_ratios((values / published).set_axis(labels[values.index]), within / published.abs(), title)
