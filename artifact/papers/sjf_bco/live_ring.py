"""Equation 8 for one link and one ring size, while a reader watches."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from artifact.papers.sjf_bco.figures.physical import one_ring
from artifact.papers.sjf_bco.instance import STATED_SHARE
from artifact.papers.sjf_bco.physical import Ring, lost_shares


def on_one_link(settings: Mapping[str, Any], sharers: Sequence[int], gbps: float, workers: int, alpha: float) -> Figure:
    """Share of communication and overhead of every model over the jobs on the link, with the stated limit.

    Args:
        settings: fields of `Ring`.
        sharers: numbers of jobs on the link.
        gbps: link of a server, Gbit/s.
        workers: ring size.
        alpha: loss per further job on the link.
    """
    shares = lost_shares(sharers, workers, gbps, Ring.of({**settings, "alpha": alpha}))
    return one_ring(shares, sharers, STATED_SHARE, f"{workers} workers, {gbps:g} Gbit/s")
