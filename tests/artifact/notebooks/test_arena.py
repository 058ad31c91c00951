"""The arena in notebooks: live windows are those of the table, and ties are met in every order."""

from types import SimpleNamespace

import numpy as np
import pytest

from artifact.arena.cells import run_cell
from artifact.arena.standings import per_window
from artifact.notebook import arena
from artifact.notebook.at_hand import data_at_hand
from artifact.run.settings import configuration
from tests.bare import bare_machine


@pytest.fixture(scope="module", autouse=True)
def bare(tmp_path_factory):
    """Stand-ins throughout, and no results."""
    folder = tmp_path_factory.mktemp("machine")
    with bare_machine(folder / "data"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RARLIB_RESULTS", str(folder / "none"))
        data_at_hand.cache_clear()
        yield
    data_at_hand.cache_clear()


def test_a_live_window_is_the_tables_row():
    frame = arena.window_frame(("fifo", "bounds"), jobs=4, cluster="homogeneous")
    one = {"traces": ["sia-philly"], "cluster": "homogeneous", "grid": [], "windows": [1], "jobs": 4}
    settings = {**configuration()["experiments"]["arena"], **one, "clusters": arena.SMALL_CLUSTER}
    table = run_cell("runs", "fifo", settings, data_at_hand("arena"))
    found = per_window(frame, "mean_jct")["value"].item()
    assert found == per_window(table, "mean_jct")["value"].item()
    assert frame.loc[frame["metric"] == "bound_mean_jct", "value"].item() <= found


def test_a_figure_names_who_would_restart_jobs_for_ever():
    assert "cannot run or end in this setting: gavel" in arena.parts(jobs=4, restart=1800)._suptitle.get_text()


def test_ties_are_met_in_every_order_of_types(monkeypatch):
    """A match that lasts 1 s per place of the A100s: second place in one order, third in the canonical one."""
    met = []

    def timed(member, workload, predicted, prices, cluster, setting):
        met.append(tuple(dict.fromkeys(cluster.gpu_type)))
        return SimpleNamespace(turnaround_s=np.array([met[-1].index("a100") + 1.0])), {}

    monkeypatch.setattr(arena, "play_match", timed)
    rows = arena.in_every_order(["anybody"])
    assert met == [("t4", "rtx", "a100"), ("t4", "a100", "rtx")]
    assert rows.to_dict("records") == [
        {"scheduler": "anybody", "window": 1, "mean_jct_s": 3.0, "least": pytest.approx(2 / 3), "most": 1.0}
    ]
