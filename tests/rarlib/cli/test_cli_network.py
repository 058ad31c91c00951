"""`rarlib simulate --fabric` and `--network`."""

import json
import re

import pytest

from rarlib.cli.main import main

TRACE = "submit_s,gpus,duration_s\n0,4,500\n0,4,400\n0,4,300\n"
LEAVES = "leaf-spine,racks=2,servers_per_rack=2,spines=1,oversubscription=2"


def simulated(tmp_path, name, *options, cluster="4x3"):
    (tmp_path / "trace.csv").write_text(TRACE)
    words = ("--trace", tmp_path / "trace.csv", "--cluster", cluster, "--scheduler", "fifo", "--out", tmp_path / name)
    with pytest.raises(SystemExit) as end:
        main([*map(str, ("simulate", *words, *options))])
    return end.value.code, tmp_path / name


def test_a_fabric_from_the_command_line_or_from_a_file(tmp_path, capsys):
    """The same schedule, which is not the one of jobs counted by server."""
    file = tmp_path / "fabric.yaml"
    file.write_text("shape: leaf-spine\nracks: 2\nservers_per_rack: 2\nspines: 1\noversubscription: 2\n")
    found = [
        simulated(tmp_path, name, *options)
        for name, options in {"a": ("--fabric", LEAVES), "b": ("--network", file), "c": ("--cost", "ring")}.items()
    ]
    assert [code for code, _ in found] == [0, 0, 0], capsys.readouterr().err
    spec, stated, counted = ((folder / "jobs.csv").read_text() for _, folder in found)
    assert spec == stated
    assert spec != counted
    facts = json.loads((found[0][1] / "run.json").read_text())
    assert facts["fabric"] == {
        "shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 1, "oversubscription": 2
    }  # fmt: skip
    said = capsys.readouterr().out
    assert "shape=leaf-spine, racks=2" in said


def test_the_racks_of_the_cluster_are_a_fabric(tmp_path):
    cluster = tmp_path / "racks.yaml"
    cluster.write_text("nodes: [{count: 2, gpus: 3, rack: a}, {count: 2, gpus: 3, rack: b}]\n"
                       "racks: {a: {uplink_gbps: 5}, b: {uplink_gbps: 5}}\n")  # fmt: skip
    own = simulated(tmp_path, "own", "--fabric", "cluster", cluster=cluster)
    tree = simulated(tmp_path, "tree", "--fabric", "tree,racks=2,servers_per_rack=2,uplink_gbps=5")
    assert own[0] == tree[0] == 0
    assert (own[1] / "jobs.csv").read_text() == (tree[1] / "jobs.csv").read_text()


def test_a_key_that_is_no_text_is_unknown(tmp_path, capsys):
    """YAML reads the key of `-1.5: 2` as a number."""
    (tmp_path / "n.yaml").write_text("shape: leaf-spine\nracks: 2\nservers_per_rack: 2\nspines: 1\n-1.5: 2\n")
    code, _ = simulated(tmp_path, "out", "--network", tmp_path / "n.yaml")
    assert (code, "unknown key" in (said := capsys.readouterr().err), "-1.5" in said) == (2, True, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fabric", "leaf-spin,racks=2"), "must be one of one-link, .*did you mean 'leaf-spine'"),
        (("--fabric", "leaf-spine,racks"), "--fabric: must be SHAPE,key=value"),
        (("--fabric", "leaf-spine,racks=2,racks=2"), "each key once"),
        (("--fabric", "one-switch,servers=5"), "--fabric: has 5 servers, the cluster 4 nodes"),
        (("--fabric", "cluster,racks=2"), "--fabric: unknown key 'racks'"),
        (("--fabric", "one-switch,alpha=-1"), "field alpha: must be a number from 0"),
        (("--fabric", "one-switch,nic_gbps=.nan"), "field nic_gbps: must be a number above 0"),
        (("--fabric", "cluster", "--network", "x.yaml"), "one of --fabric and --network"),
        (("--fabric", "cluster", "--cost", "trace"), "--cost: recorded durations send nothing"),
        (("--fabric", LEAVES, "--scheduler", "best-known"), "field fabric: scheduler best-known knows jobs by server"),
        (("--fabric", "cluster,alpha=1,spines=2"), "unknown key 'spines'"),
        (("--network", "absent.yaml"), "absent.yaml: no such file"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, capsys, options, said):
    code, _ = simulated(tmp_path, "out", *options)
    assert code == 2
    assert re.search(said, capsys.readouterr().err)
