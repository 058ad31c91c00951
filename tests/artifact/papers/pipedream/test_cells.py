"""PipeDream's cells: what a row says agrees with the plan behind it, and links are charged as stated."""

import json
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from artifact.papers.pipedream.cells import plans, run_cell
from artifact.papers.pipedream.choices import PIPEDREAM_READINGS, values_of_readings
from artifact.papers.pipedream.placed import System, data_parallel_s, exchange_s, launched, placed
from artifact.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, A, TableRow
from rarlib.model.errors import InputError
from rarlib.pipeline.graph import Layer, LayerGraph, from_json, to_json
from rarlib.pipeline.planner import plan_configuration
from rarlib.pipeline.profiles import load_profile, profile_set

ROOT = Path(__file__).parents[4]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SETTINGS = {"memory_bytes": 1e9, "readings": ["stated"]}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A profile set without measured files: two tiny models under the names of large ones."""
    chain = LayerGraph.chain(Layer(f"l{at}", "", 0.01, 0.02, 1e6, 4e6 if at < 17 else 4e8) for at in range(18))
    names = {row.profile for rows in TABLE_1.values() for row in rows}
    path = tmp_path_factory.mktemp("profiles") / "pipedream.json"
    path.write_text(json.dumps({name: {"kind": "measured", **to_json(chain)} for name in names}))
    return path


def values(frame, setup, plan):
    rows = frame[(frame["setup"] == setup) & (frame["x"] == plan)]
    return rows.set_index("metric")["value"]


@pytest.mark.parametrize("model", TABLE_1)
def test_table_1_says_what_the_plans_are(data, model):
    frame = run_cell("table1", model, SETTINGS, data)
    assert list(dict.fromkeys(frame["setup"])) == [row.label for row in TABLE_1[model]]
    for row in TABLE_1[model]:
        graph = from_json(json.loads(data.read_text())[row.profile])
        for name, plan in plans(row, graph).items():
            told = values(frame, row.label, name)
            replicas = frame[(frame["setup"] == row.label) & frame["x"].str.startswith(f"{name}/")]["value"].tolist()
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
        times = rows.set_index("x")["value"]
        assert times["1f1b"] <= times["gpipe-noam"] * (1 + 1e-9), setup
        assert times["gpipe-noam"] <= times["model-parallel"] * (1 + 1e-9), setup
        assert times["printed"] <= times["printed-unpipelined"] * (1 + 1e-9), setup


def test_readings_side_by_side(data):
    """A reading of the settings is the reading alone; settings of the reader replace its choices."""
    both = run_cell("table1", "awd-lm", SETTINGS | {"readings": ["fitted", "stated"]}, data)
    for reading in ("fitted", "stated"):
        alone = run_cell("table1", "awd-lm", SETTINGS | {"readings": [reading]}, data)
        rows = both[both["reading"] == reading].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone)
    own = values_of_readings({"readings": ["stated"], "reached": 0.5, "limit": 2, "overlap": None})["stated"]
    assert own == {**PIPEDREAM_READINGS["stated"], "between": 0.5, "inside": 0.5, "limit": 2}
    with pytest.raises(InputError, match="unknown reading 'literal'"):
        values_of_readings({"readings": ["literal"]})


def test_stated_commands_give_the_planners_choice(run):
    """What `rarlib claims --why` prints as the command line of a configuration is the plan `default`."""
    claims = yaml.safe_load((ROOT / "config/claims/pipedream.yaml").read_text())["claims"]
    commands = {claim["formula"]["select"]["setup"]: claim["command"] for claim in claims if "command" in claim}
    rows = {row.label: row for several in TABLE_1.values() for row in several}
    assert set(commands) == {label for label in rows if not label.startswith("S2VT")}  # for a Titan X
    for label in ("AlexNet 2x8 B", "GNMT-8 3x4 A", "AWD-LM 1x4 A"):
        words = shlex.split(commands[label])
        assert words[0] == "rarlib"
        code, printed = run(*words[1:])
        assert code == 0
        told = json.loads(printed.out)
        chosen = plans(rows[label], load_profile(rows[label].profile).graph)["default"]
        assert told["configuration"] == chosen.configuration
        assert told["pipeline_time_s"] == chosen.pipeline_time_s


def test_systems_by_hand():
    """Shares, one ring, neighbours and speeds on 5 and 3 workers of two servers of 4."""
    row = TableRow("toy", "toy", A, 2, (5, 3))
    graph = LayerGraph.chain([Layer("a", "", 1.0, 2.0, 1e9, 1e9), Layer("b", "", 0.5, 1.0, 0.0, 2e9)])
    plan = plan_configuration(graph, row.printed, A.between)
    assert [stage.compute_s for stage in launched(plan, row, System(speed=2.0, minibatch=3.0)).stages] == [4.5, 2.25]
    slow = placed(plan, row, System(between=0.5, inside=0.1))
    assert slow.sync_s[0] == pytest.approx(1e9 * (2 * 3 / 4 / (0.1 * A.inside) + 2 * 1 / 2 / (0.5 * A.between)))
    assert slow.transfer_s[0] == pytest.approx(1e9 / (0.5 * A.between))
    ring = placed(plan, row, System(one_ring=True))
    assert ring.sync_s.tolist() == pytest.approx([1e9 * 2 * 4 / 5 / A.between, 2e9 * 2 * 2 / 3 / A.inside])
    near = 3 / 15  # worker 4 sends to the three of its server once in five minibatches
    mixed = placed(plan, row, System(neighbours=True)).transfer_s[0]
    assert mixed == pytest.approx(1e9 * (near / A.inside + (1 - near) / A.between))
    assert data_parallel_s(plan, row, System(overlap=False)) == data_parallel_s(plan, row, exposed=True)


def test_a_limit_of_an_all_reduce_by_hand():
    """8 GPUs in two servers hold 3 GB: 2 * 3/4 * 3 GB inside at 10 GB/s, 2 * 1/2 * 3 GB between at 0.5 of 1.25 GB/s.

    That is 0.45 s and 6 s. The limit slows no transfer, and none of an exchange inside a server.
    """
    row = TableRow("toy", "toy", A, 2, (5, 3))
    graph = LayerGraph.chain([Layer("a", "", 1.0, 2.0, 1e9, 1e9), Layer("b", "", 0.5, 1.0, 0.0, 2e9)])
    plan = plan_configuration(graph, row.printed, A.between)
    assert exchange_s(3e9, 8, 2, row, System(limit=0.5e9)) == pytest.approx(6.45)
    assert data_parallel_s(plan, row, System(limit=0.5e9)) == pytest.approx((1.5 + 6.45) / 8)
    assert data_parallel_s(plan, row, System(limit=0.5e9, overlap=False)) == pytest.approx((4.5 + 6.45) / 8)
    assert exchange_s(3e9, 8, 2, row, System(limit=0.5e9, one_ring=True)) == pytest.approx(2 * 7 / 8 * 3e9 / 0.5e9)
    assert exchange_s(3e9, 4, 1, row, System(limit=0.5e9)) == exchange_s(3e9, 4, 1, row) == pytest.approx(0.45)
    for fast in (1.25e9, 5e9, float("inf")):
        assert exchange_s(3e9, 8, 2, row, System(limit=fast)) == exchange_s(3e9, 8, 2, row)
    slow, usual = placed(plan, row, System(limit=0.5e9)), placed(plan, row)
    assert slow.transfer_s.tolist() == usual.transfer_s.tolist()
    assert (slow.sync_s - usual.sync_s).tolist() == pytest.approx([1e9 / 0.5e9 - 1e9 / 1.25e9, 0.0])


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


def test_published_rows_have_their_label():
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
