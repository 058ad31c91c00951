"""Eq. 8 with real models against the equation by hand."""

import numpy as np
import pytest

from rarlib.papers.sjf_bco.cells import run_cell
from rarlib.papers.sjf_bco.figures.physical import eq8_panels
from rarlib.papers.sjf_bco.physical import (
    REAL_MODELS,
    Ring,
    eq8_iteration_s,
    passes_s,
)
from tests.papers.sjf_bco.headline import headline

SETTINGS = headline("eq8")
RING = Ring.of(SETTINGS)
LINK_RATES, RING_SIZES, LINK_SHARERS = (SETTINGS[name] for name in ("gbps", "workers", "sharers"))


def test_a_gradient_of_vgg_16_takes_0_885_s_over_10_gbit_s():
    """138.4 million numbers of 4 bytes, twice over the link: 2 * 553.6e6 / 1.25e9 s in the limit of large rings."""
    model = REAL_MODELS["VGG-16"]
    assert eq8_iteration_s(model, 32, 1, 10.0, RING) - passes_s(model, RING) == pytest.approx(
        31 / 32 * 0.8858, rel=0.01
    )


def test_the_cell_and_its_figure():
    """A share of each kind for every model, link, ring and p; sharing a link never helps."""
    frame = run_cell("eq8", "all", SETTINGS)
    wide = frame.pivot_table(index=["setup", "reading", "x"], columns="metric", values="value")
    assert len(wide) == len(REAL_MODELS) * len(LINK_RATES) * len(RING_SIZES)
    assert (np.diff(wide[[f"lost:{p}" for p in LINK_SHARERS]].to_numpy(), axis=1) > 0).all()
    assert ((wide >= 0) | wide.columns.str.startswith("iteration")).all(axis=None)
    titles = [ax.get_title() or ax.get_title(loc="left") for ax in eq8_panels(frame, 0.15).axes[:3]]
    assert titles == [f"{gbps:g} Gbit/s" for gbps in LINK_RATES]
