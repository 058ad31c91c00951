"""Draws of what is not known about AITurbo's evaluation: every published ratio is answered, and priors are used."""

import numpy as np
import pandas as pd
import pytest

from rarlib.model.seeds import stream
from rarlib.model.unknowns import PARAMETER_PREFIX, draw_parameters
from rarlib.papers.aiturbo import inference
from rarlib.papers.aiturbo.measures import run_instance
from rarlib.papers.aiturbo.members import MEMBERS
from rarlib.papers.aiturbo.scenarios import MAIN

SUBMIT_S = np.cumsum(stream(0, "test-inference").exponential(100.0, 200))
STATED = {
    "gpus": 4, "load": 2.0, "arrivals": "trace", "classes": "study", "error": 0.1, "tick": 240.0, "leftover": True,
    "servers_on_gpus": False, "guessed_speeds": False,
}  # fmt: skip


def test_each_ratio_is_the_published_one():
    """Ids follow the published list: metric by metric, scheduler by scheduler."""
    published = pd.read_csv("data/published.csv").set_index("id")
    found = inference.outcomes(STATED, SUBMIT_S, 6)
    settings = {"jobs": 6, "cluster": "gpu:2x2,cpu:2x4", "load": 2.0}
    runs = {
        name: {m: v for m, v, _ in run_instance(MAIN._replace(error=0.1), MEMBERS[who], 0, settings, SUBMIT_S)}
        for name, who in (("AITurbo", "aiturbo"), ("Optimus", "optimus"), ("SRTF", "srtf"), ("FCFS", "fcfs"))
    }
    metrics = {"average JCT": "jct_all_s", "makespan": "makespan_s", "short jobs JCT": "jct_short_s"}
    checked = 0
    for name, value in found.items():
        metric, scheduler = metrics.get(published.loc[name, "series"]), published.loc[name, "x"]
        if metric and scheduler in runs:
            assert value == pytest.approx(runs[scheduler][metric] / runs["AITurbo"][metric])
            checked += 1
    assert checked == 9
    assert set(found) <= set(published.index)
    shares = {name: published.loc[name, "series"] for name in found if "unpredictable" in published.loc[name, "series"]}
    assert sorted(shares.values())[::2] == [f"unpredictable:predictable {s}" for s in ("0:100", "100:0", "50:50")]


@pytest.mark.parametrize(("name", "value"), [
    ("gpus", 8), ("load", 6.0), ("arrivals", "at once"), ("classes", "alike"), ("error", 0.5), ("tick", 900.0),
    ("leftover", False), ("servers_on_gpus", True), ("guessed_speeds", True),
])  # fmt: skip
def test_every_unknown_is_used(monkeypatch, name, value):
    seen = []

    def record(case, member, seed, settings, submit_s):
        seen.append((case, member, settings))
        return [(metric, 1.0, "s") for metric in ("jct_all_s", "makespan_s", "jct_short_s", "jct_long_s")]

    monkeypatch.setattr(inference, "run_instance", record)
    inference.outcomes(STATED, SUBMIT_S, 6)
    plain, seen[:] = list(seen), []
    inference.outcomes({**STATED, name: value}, SUBMIT_S, 6)
    assert seen != plain


def test_rows_of_the_draws():
    table = inference.run_draws("unknowns", {"draws": 2, "jobs": 6}, SUBMIT_S)
    drawn = draw_parameters(inference.UNKNOWNS, 2)
    load = table[table["metric"] == f"{PARAMETER_PREFIX}load"]["value"]
    assert load.tolist() == pytest.approx(drawn["load"].tolist())
    assert table.groupby("seed").size().tolist() == [9 + 23, 9 + 23]
