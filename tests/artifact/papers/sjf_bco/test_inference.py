"""Cheap runs and the cells of the figures give the same numbers."""

import pytest

from artifact.papers.sjf_bco.cells import run_cell
from artifact.papers.sjf_bco.choices import RUN_READINGS
from artifact.papers.sjf_bco.inference import outcomes
from tests.artifact.papers.sjf_bco.headline import headline

IDS = {
    "fig4": {"sjf-bco": (1, 2, 3), "list-scheduling": (4, 5, 6), "first-fit": (7, 8, 9), "random": (10, 11, 12)},
    "fig5": dict(zip((1, 2, 4, 8, 10, 16, 32), range(13, 20), strict=True)),
    "fig6": {
        "sjf-bco": {10: 20, 15: 24},
        "list-scheduling": {10: 21, 15: 25},
        "first-fit": {10: 22, 15: 26},
        "random": {10: 23, 15: 27},
    },
    "fig7": {1: 32, 2: 33, 4: 34, 8: 35},
}


def cell_values(figure, scheduler, reading):
    """Metric by (point, metric) of one seed."""
    frame = run_cell(figure, scheduler, headline(figure, seeds=1, readings=[reading]))
    return {(float(row.x), row.metric): row.value for row in frame.itertuples()}


@pytest.mark.parametrize("reading", RUN_READINGS)
def test_a_draw_gives_what_the_figures_give(reading):
    """With the parameters of a reading every number is that of its cell on the same seed, to the digit."""
    parameters = RUN_READINGS[reading]
    found, wanted = outcomes(parameters), {}
    for scheduler, ids in IDS["fig4"].items():
        values = cell_values("fig4", scheduler, reading)
        wanted |= {n: values[20.0, m] for n, m in zip(ids, ("shortest", "average", "makespan"), strict=True)}
    for scheduler, ids in IDS["fig6"].items():
        values = cell_values("fig6", scheduler, reading)
        wanted |= {n: values[float(x), "makespan"] for x, n in ids.items()}
    for figure in ("fig5", "fig7"):
        values = cell_values(figure, "sjf-bco", reading)
        wanted |= {n: values[float(x), "makespan"] for x, n in IDS[figure].items()}
    assert 0.0 < found.pop("alive") < 0.15
    fitted = outcomes(parameters, only_fitted=True)
    assert {name: fitted[name] for name in fitted if name != "alive"} == {
        f"sjf-bco-{n:03d}": pytest.approx(found[f"sjf-bco-{n:03d}"], nan_ok=True) for n in range(1, 13)
    }
    assert found == {f"sjf-bco-{n:03d}": pytest.approx(value, nan_ok=True) for n, value in sorted(wanted.items())}
