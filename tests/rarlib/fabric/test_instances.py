"""Files of instances: what they may hold, and that whatever is wrong is named by file, row and field."""

import json

import pytest

from rarlib.fabric.case import flow_table
from rarlib.fabric.instances import read_cases
from rarlib.model.errors import InputError

FLOW = {"bytes": 125000000, "links": {"x": 1}}
JOB = {"id": "j0", "compute_s": 0.3, "start_s": 0.0, "iterations": 20, "flows": [FLOW]}
PAIR = {"id": "pair", "links": {"x": 10.0}, "jobs": [JOB, {**JOB, "id": "j1"}]}
LEAVES = {"shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 2, "nic_gbps": 10.0, "uplink_gbps": 5.0}
RING = {"id": "j0", "compute_s": 0.3, "iterations": 20, "servers": [0, 2], "bytes": 1e8}
ROUTED = {"id": "ring", "fabric": {**LEAVES, "ecmp_seed": 3}, "jobs": [RING]}


def write(path, *lines):
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_both_grades_by_hand(tmp_path, run):
    """Aligned, both take 0.3 + 2 * 0.1 s; over phases, d = 1/4 and both take 0.4 (1 + 1/16) s."""
    path = write(tmp_path / "i.jsonl", PAIR, "", {**PAIR, "id": "again"})
    for grade, header, values in (
        ("flow", "instance,job,mean_iteration_s,end_15_s", [0.5, 7.5]),
        ("law", "instance,job,law", [0.425]),
    ):
        out = tmp_path / f"{grade}.csv"
        assert run("fabric", path, "--grade", grade, "--out", out)[0] == 0
        lines = out.read_text().splitlines()
        assert lines[0] == header and len(lines) == 5
        assert lines[4].startswith("again,j1,")
        assert [float(value) for value in lines[1].split(",")[2:]] == pytest.approx(values, rel=1e-6)


def test_a_fabric_makes_the_flows(tmp_path):
    """Between racks over a spine each way, by the same hash for both; uplinks are the narrow ones."""
    (case,) = read_cases(write(tmp_path / "i.jsonl", ROUTED))
    (flow,) = case.jobs[0].flows
    assert flow.links.keys() >= {"h0+", "h2-", "h2+", "h0-"} and len(flow.links) == 8
    assert sorted(case.links.values()) == [5.0] * 4 + [10.0] * 4
    assert flow_table(case).capacity.min() == 5.0 * 125e6


@pytest.mark.parametrize(
    ("fabric", "uplink"),
    [
        ({"shape": "tree", "racks": 2, "servers_per_rack": 2, "nic_gbps": 10.0, "oversubscription": 4}, 5.0),
        ({**LEAVES, "uplink_gbps": None, "oversubscription": 2}, 5.0),
        ({"shape": "fat-tree", "k": 4, "nic_gbps": 10.0, "oversubscription": 2}, 5.0),
        ({"shape": "file", "path": "t.csv", "nic_gbps": 10.0, "uplinks_gbps": {"low": 5.0, "mid": 7.0}}, 5.0),
    ],
    ids=lambda value: value["shape"] if isinstance(value, dict) else "",
)
def test_shapes_and_oversubscription(tmp_path, fabric, uplink):
    (tmp_path / "t.csv").write_text("server,top,mid,low\na,t,m,l0\nb,t,m,l0\nc,t,m,l1\nd,t,n,l0\n")
    fabric = {key: value for key, value in fabric.items() if value is not None}
    (case,) = read_cases(write(tmp_path / "i.jsonl", {**ROUTED, "fabric": fabric}))
    assert min(case.links.values()) == uplink
    assert {link[0] for link in case.links} > {"h"}


def test_switches_of_one_name_in_two_places_are_two(tmp_path):
    """`l0` below `m` and `l0` below `n`: the ring goes over the highest layer."""
    (tmp_path / "t.csv").write_text("server,top,mid,low\na,t,m,l0\nb,t,n,l0\n")
    fabric = {"shape": "file", "path": "t.csv", "nic_gbps": 10.0, "uplinks_gbps": {"low": 5.0, "mid": 7.0}}
    ring = {**RING, "servers": [0, 1]}
    (case,) = read_cases(write(tmp_path / "i.jsonl", {**ROUTED, "fabric": fabric, "jobs": [ring]}))
    assert sorted(case.links.values()) == [5.0] * 4 + [7.0] * 4 + [10.0] * 4


def changed(base, *path, to):
    case = json.loads(json.dumps(base))
    place = case
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return case


BAD = [
    (PAIR, ("id",), None, "id"),
    (PAIR, ("id",), "n" * 1000, "id"),
    (PAIR, ("aplha",), 0.3, None),
    (PAIR, ("alpha",), -0.1, "alpha"),
    (PAIR, ("alpha",), True, "alpha"),
    (PAIR, ("leave",), 1, "leave"),
    (PAIR, ("links",), [], "links"),
    (PAIR, ("links", "x"), 0, "links.x"),
    (PAIR, ("links", "x"), 10**400, "links.x"),
    (PAIR, ("jobs",), {}, "jobs"),
    (PAIR, ("jobs",), [], "jobs"),
    (PAIR, ("jobs", 1), 7, "jobs[1]"),
    (PAIR, ("jobs", 1, "id"), "j0", "jobs"),
    (PAIR, ("jobs", 1, "prioritty"), 1, "jobs[1]"),
    (PAIR, ("jobs", 1, "compute_s"), "0.3", "jobs[1].compute_s"),
    (PAIR, ("jobs", 1, "compute_s"), -1, "jobs[1].compute_s"),
    (PAIR, ("jobs", 1, "iterations"), 0, "jobs[1].iterations"),
    (PAIR, ("jobs", 1, "iterations"), 2.5, "jobs[1].iterations"),
    (PAIR, ("jobs", 1, "iterations"), 10**12, "jobs[1].iterations"),
    (PAIR, ("jobs", 1, "noise"), 1.0, "jobs[1].noise"),
    (PAIR, ("jobs", 1, "seed"), -1, "jobs[1].seed"),
    (PAIR, ("jobs", 1, "flows"), None, "jobs[1].flows"),
    (PAIR, ("jobs", 1, "flows", 0, "links"), {}, "jobs[1].flows[0].links"),
    (PAIR, ("jobs", 1, "flows", 0, "links", "y"), 1, "jobs[1].flows[0].links.y"),
    (PAIR, ("jobs", 1, "flows", 0, "links", "x"), 0, "jobs[1].flows[0].links.x"),
    (PAIR, ("jobs", 1, "flows", 0, "bytes"), None, "jobs[1].flows[0].bytes"),
    (ROUTED, ("fabric", "shape"), "leafspine", "fabric.shape"),
    (ROUTED, ("fabric", "spines"), 0, "fabric.spines"),
    (ROUTED, ("fabric", "k"), 4, "fabric"),
    (ROUTED, ("fabric", "oversubscription"), 2, "fabric"),
    (ROUTED, ("fabric", "racks"), 10**6, "fabric.racks"),
    (ROUTED, ("fabric", "racks"), 20_000, "fabric.racks"),
    (ROUTED, ("fabric", "nic_gbps"), None, "fabric.nic_gbps"),
    (ROUTED, ("fabric", "ecmp_seed"), 2**64, "fabric.ecmp_seed"),
    (ROUTED, ("jobs", 0, "servers"), [0, 4], "jobs[0].servers"),
    (ROUTED, ("jobs", 0, "servers"), [0, 0], "jobs[0].servers"),
    (ROUTED, ("jobs", 0, "ring"), "rnig", "jobs[0].ring"),
    (ROUTED, ("jobs", 0, "bytes"), -1, "jobs[0].bytes"),
]


@pytest.mark.parametrize(("base", "path", "to", "field"), BAD, ids=lambda value: str(value)[:30])
def test_what_is_wrong_is_named(tmp_path, base, path, to, field):
    """The first line is fine, so the row is 2."""
    file = write(tmp_path / "i.jsonl", {**PAIR, "id": "fine"}, changed(base, *path, to=to))
    with pytest.raises(InputError) as error:
        read_cases(file)
    assert (error.value.file, error.value.row, error.value.field) == (file, 2, field)


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", "NaN", '{"id": "\\ud800"}', "[" * 100_000, '"' + "x" * 100_000, json.dumps(PAIR)]
)
def test_a_damaged_line_or_a_second_id_is_named(tmp_path, line):
    with pytest.raises(InputError) as error:
        read_cases(write(tmp_path / "i.jsonl", PAIR, line))
    assert error.value.row == 2
    assert len(str(error.value)) < 2_000


def test_an_iteration_must_take_time(tmp_path):
    idle = changed(changed(PAIR, "jobs", 1, "compute_s", to=0), "jobs", 1, "flows", 0, "bytes", to=0)
    with pytest.raises(InputError, match="must take time"):
        read_cases(write(tmp_path / "i.jsonl", idle))


@pytest.mark.parametrize("table", ["", "server\n", "server,top\n", "server,top\na\n", "server,a,a\nx,y,z\n"])
def test_a_damaged_table_of_switches_is_named(tmp_path, table):
    (tmp_path / "t.csv").write_text(table)
    fabric = {"shape": "file", "path": "t.csv", "nic_gbps": 10.0, "uplinks_gbps": {}}
    with pytest.raises(InputError) as error:
        read_cases(write(tmp_path / "i.jsonl", {**ROUTED, "fabric": fabric}))
    assert str(error.value.file).endswith("t.csv")


@pytest.mark.parametrize(
    "words", [["--grade", "flaw"], ["--out", "."], [], ["--out", "i.jsonl"], ["--out", "other.csv"]]
)
def test_one_line_and_exit_code_2(tmp_path, monkeypatch, refused, words):
    """Nor is a file of somebody else replaced, or the input."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "i.jsonl", PAIR)
    (tmp_path / "other.csv").write_text("instance,job,law,mine\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    usual = {"--grade": "law", "--out": "found.csv"} if words else {"--grade": "law"}
    usual |= dict(zip(words[::2], words[1::2], strict=True))
    assert refused("fabric", "i.jsonl", *(word for pair in usual.items() for word in pair)).startswith("error: ")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
