"""PipeDream's cells: what a row says agrees with the plan behind it, and links are charged as stated."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from rarlib.model.errors import InputError
from rarlib.papers.pipedream.cells import plans, run_cell
from rarlib.papers.pipedream.placed import data_parallel_s, exchange_s, launched, placed
from rarlib.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, A, TableRow
from rarlib.papers.pipedream.timeline import SCHEDULE_KINDS as TIMELINES
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.graph_json import from_json, to_json
from rarlib.pipeline.planner import plan_configuration
from rarlib.pipeline.profiles import profile_set

ROOT = Path(__file__).parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SETTINGS = {"memory_bytes": 16e9}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A profile set without measured files: two tiny models under the names of large ones."""
    chain = LayerGraph.chain(
        Layer(
            f"l{at}",
            "",
            0.01,
            0.02,
            1e6,
            4e6 if at < 17 else 4e8,
        )
        for at in range(18)
    )
    names = {row.profile for rows in TABLE_1.values() for row in rows}
    path = tmp_path_factory.mktemp("profiles") / "pipedream.json"
    path.write_text(json.dumps({name: {"kind": "measured", **to_json(chain)} for name in names}))
    return path


def values(frame, setup, reading):
    rows = frame[(frame["setup"] == setup) & (frame["reading"] == reading) & (frame["x_name"] == "")]
    return rows.set_index("metric")["value"]


@pytest.mark.parametrize("model", TABLE_1)
def test_table_1_says_what_the_plans_are(data, model):
    frame = run_cell("table1", model, SETTINGS, data)
    assert list(dict.fromkeys(frame["setup"])) == [row.label for row in TABLE_1[model]]
    for row in TABLE_1[model]:
        graph = from_json(json.loads(data.read_text())[row.profile])
        for reading, plan in plans(row, graph).items():
            told = values(frame, row.label, reading)
            replicas = frame[(frame["setup"] == row.label) & (frame["reading"] == reading)]
            replicas = replicas[replicas["metric"] == "replicas"]["value"].tolist()
            assert replicas == [stage.replicas for stage in plan.stages]
            assert sum(replicas) == row.workers
            assert told["as_printed"] == (tuple(replicas) == row.printed)
            assert told["faster"] == (told["simulated_s"] < told["data_parallel_s"])
            assert told["exposed_speedup"] >= told["simulated_speedup"]
            fewest = row.launched * plan.single_machine_time_s / row.workers
            assert told["simulated_s"] >= fewest * (1 - 1e-9)
        assert values(frame, row.label, "printed")["as_printed"] == 1.0


@pytest.mark.parametrize("model", SCHEDULE_ROWS)
def test_pipelining_helps_and_flushes_hurt(data, model):
    """1F1B is never slower than GPipe, which is never slower than one minibatch at a time, on the same stages."""
    frame = run_cell("schedules", model, SETTINGS, data)
    for setup, rows in frame[frame["metric"] == "simulated_s"].groupby("setup"):
        times = rows.set_index("reading")["value"]
        assert times["1f1b"] <= times["gpipe-noam"] * (1 + 1e-9), setup
        assert times["gpipe-noam"] <= times["model-parallel"] * (1 + 1e-9), setup
        assert times["printed"] <= times["printed-unpipelined"] * (1 + 1e-9), setup


def test_links_by_hand():
    """5 workers of one stage and 3 of another on two servers of 4: who crosses between servers pays for it."""
    row = TableRow("toy", "toy", A, 2, (5, 3), launched=0.5)
    graph = LayerGraph.chain([Layer("a", "", 1.0, 2.0, 1e9, 1e9), Layer("b", "", 0.5, 1.0, 0.0, 2e9)])
    run = launched(plan_configuration(graph, row.printed, A.between), row)
    assert [stage.compute_s for stage in run.stages] == [1.5, 0.75]
    pipeline = placed(run, row)
    within, across = 2 * 3 / 4 / A.inside, 2 * 1 / 2 / A.between
    assert pipeline.sync_s.tolist() == pytest.approx([1e9 * (within + across), 2e9 * (2 * 2 / 3 / A.inside)])
    assert pipeline.transfer_s.tolist() == pytest.approx([0.5e9 / A.between])
    assert data_parallel_s(run, row) == pytest.approx((0.75 + max(1.5, 3e9 * (within + across))) / 8)
    assert data_parallel_s(run, row, exposed=True) == pytest.approx((2.25 + 3e9 * (within + across)) / 8)
    assert exchange_s(1e9, 1, 1, row) == 0.0


def test_stages_in_one_server_stay_off_the_network():
    row = TableRow("toy", "toy", A, 1, (3, 1))
    graph = LayerGraph.chain([Layer("a", "", 1.0, 2.0, 1e9, 1e9), Layer("b", "", 0.5, 1.0)])
    pipeline = placed(plan_configuration(graph, row.printed, A.inside), row)
    assert pipeline.transfer_s.tolist() == pytest.approx([1e9 / A.inside])
    assert pipeline.sync_s.tolist() == pytest.approx([1e9 * 2 * 2 / 3 / A.inside, 0.0])


def test_the_configuration_asks_for_what_there_is():
    """Every model of the configuration has its rows, and every row its profile in the set."""
    cells = CONFIG["experiments"]["pipedream"]["cells"]
    assert cells["table1"] == list(TABLE_1)
    assert cells["schedules"] == list(SCHEDULE_ROWS)
    assert cells["timeline"] == list(TIMELINES)
    listed = CONFIG["profiles"]["pipedream"]
    assert {row.profile for rows in TABLE_1.values() for row in rows} == {*listed["sources"], *listed["analytic"]}


@pytest.mark.parametrize("schedule", TIMELINES)
def test_timelines_are_cells(data, schedule):
    frame = run_cell("timeline", schedule, SETTINGS, data)
    assert set(frame["scheduler"]) == {schedule}
    assert {"forward", "backward", "memory", "summary"} <= set(frame["reading"])


def test_published_rows_have_their_label():
    """A label that differs from the list of published numbers would leave its claim and its diamond empty."""
    published = pd.read_csv(ROOT / "data/published.csv", dtype=str)
    rows = published[(published["paper"] == "pipedream") & (published["where"] == "Table 1")]
    assert set(rows["series"]) == {row.label for several in TABLE_1.values() for row in several}
    printed = rows[rows["x"] == "configuration"].set_index("series")["value"]
    for row in (row for several in TABLE_1.values() for row in several):
        straight = printed[row.label] == "straight"
        assert row.printed == ((1,) * row.workers if straight else tuple(map(int, printed[row.label].split("-"))))


def test_profile_sets_say_what_stands_in(monkeypatch):
    """Offline and without mirrors, the analytic profiles take over, and the provenance says so."""
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setenv("RARLIB_MIRROR", "")
    made = profile_set("pipedream", CONFIG["profiles"]["pipedream"])
    assert made.provenance["standin"] is (made.origin == "stand-in")
    for name, facts in made.provenance["profiles"].items():
        assert facts["standin"] == (name.startswith("pipedream-") and facts["kind"] == "analytic")
        assert len(from_json(made.data[name])) > 5
    assert made.provenance["profiles"]["s2vt"]["kind"] == "analytic, titan-x"
    with pytest.raises(InputError, match="unknown GPU 'abacus'"):
        profile_set("pipedream", {"sources": [], "analytic": {"s2vt": "abacus"}})


@pytest.mark.parametrize(
    ("part", "model", "complaint"),
    [("fig1", "vgg-16", "unknown table"), ("table1", "vgg-19", "unknown model"), ("schedules", "resnet-50", "unknown")],
)
def test_unknown_cells_are_refused(data, part, model, complaint):
    with pytest.raises(InputError, match=complaint):
        run_cell(part, model, SETTINGS, data)


def test_cells_need_profiles():
    with pytest.raises(InputError, match="needs a profile set"):
        run_cell("table1", "vgg-16", SETTINGS, None)


def test_cells_are_deterministic(data):
    first, again = (run_cell("table1", "gnmt-8", SETTINGS, data) for _ in range(2))
    assert np.array_equal(first["value"], again["value"])
