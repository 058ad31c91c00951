"""`rarlib simulate --fabric` and `--network`."""

import json
import re

import pytest

TRACE = "submit_s,gpus,duration_s\n0,4,500\n0,4,400\n0,4,300\n"
LEAVES = "leaf-spine,racks=2,servers_per_rack=2,spines=1,oversubscription=2"


def words(tmp_path, name, *options, cluster="4x3"):
    (tmp_path / "trace.csv").write_text(TRACE)
    usual = ("--trace", tmp_path / "trace.csv", "--cluster", cluster, "--scheduler", "fifo", "--out", tmp_path / name)
    return "simulate", *usual, *options


def test_a_fabric_from_the_command_line_or_from_a_file(tmp_path, run):
    """The same schedule, which is not the one of jobs counted by server."""
    file = tmp_path / "fabric.yaml"
    file.write_text("shape: leaf-spine\nracks: 2\nservers_per_rack: 2\nspines: 1\noversubscription: 2\n")
    told = {}
    for name, options in {"a": ("--fabric", LEAVES), "b": ("--network", file), "c": ("--cost", "ring")}.items():
        code, told[name] = run(*words(tmp_path, name, *options))
        assert code == 0, told[name].err
    spec, stated, counted = ((tmp_path / name / "jobs.csv").read_text() for name in told)
    assert spec == stated
    assert spec != counted
    facts = json.loads((tmp_path / "a" / "run.json").read_text())
    assert facts["fabric"] == {
        "shape": "leaf-spine", "racks": 2, "servers_per_rack": 2, "spines": 1, "oversubscription": 2
    }  # fmt: skip
    assert "shape=leaf-spine, racks=2" in told["a"].out


def test_the_racks_of_the_cluster_are_a_fabric(tmp_path, run):
    cluster = tmp_path / "racks.yaml"
    cluster.write_text("nodes: [{count: 2, gpus: 3, rack: a}, {count: 2, gpus: 3, rack: b}]\n"
                       "racks: {a: {uplink_gbps: 5}, b: {uplink_gbps: 5}}\n")  # fmt: skip
    assert run(*words(tmp_path, "own", "--fabric", "cluster", cluster=cluster))[0] == 0
    assert run(*words(tmp_path, "tree", "--fabric", "tree,racks=2,servers_per_rack=2,uplink_gbps=5"))[0] == 0
    own, tree = ((tmp_path / name / "jobs.csv").read_text() for name in ("own", "tree"))
    assert own == tree


def test_a_key_that_is_no_text_is_unknown(tmp_path, refused):
    """YAML reads the key of `-1.5: 2` as a number."""
    (tmp_path / "n.yaml").write_text("shape: leaf-spine\nracks: 2\nservers_per_rack: 2\nspines: 1\n-1.5: 2\n")
    said = refused(*words(tmp_path, "out", "--network", tmp_path / "n.yaml"))
    assert "unknown key" in said and "-1.5" in said


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
def test_what_is_wrong_is_named(tmp_path, refused, options, said):
    assert re.search(said, refused(*words(tmp_path, "out", *options)))
