"""Clusters: what parses means what it says, node by node; what does not is refused naming the culprit."""

import math

import numpy as np
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


def test_plain_specification():
    """20x8 read the other way round would be 8 nodes of 20 GPUs."""
    cluster = Cluster.parse("20x8")
    assert (cluster.nodes, cluster.total_gpus) == (20, 160)
    assert set(cluster.gpus.tolist()) == {8}


def write(folder, text):
    path = folder / "cluster.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_file_with_racks_types_and_links(tmp_path):
    """Nodes must get the speed of their type and the index of their rack; the slowest type is the first."""
    cluster = Cluster.parse(
        write(
            tmp_path,
            """
            nodes:
              - {count: 2, gpus: 8, type: a100, rack: left}
              - {gpus: 4, type: t4, rack: right}
            types: {a100: {speed: 2.5}}
            racks: {left: {uplink_gbps: 100}, right: {}}
            links: {node_gbps: 25}
            """,
        )
    )
    assert cluster.gpus.tolist() == [4, 8, 8]
    assert cluster.speed.tolist() == [1.0, 2.5, 2.5]
    assert cluster.rack.tolist() == [0, 1, 1]
    assert cluster.rack_gbps.tolist() == [np.inf, 100.0]
    assert cluster.node_gbps == 25.0


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("nodes: []", "nodes"),
        ("[1, 2]", "nodes"),
        ("nodes: [{gpus: 8}", "not valid YAML"),
        ("nodes: [{count: 2}]", r"nodes\[0\].gpus"),
        ("nodes: [{gpus: 8}, {gpus: 0}]", r"nodes\[1\].gpus"),
        ("nodes: [{gpu: 8}]", "unknown key 'gpu'"),
        ("nodes: [8]", r"nodes\[0\]"),
        ("nodes: [{gpus: 8, rack: up}]\nracks: {down: {}}", "unknown rack 'up'"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {pace: 1}}", "unknown key 'pace'"),
        ("nodes: [{gpus: 8}]\nlinks: {gbps: 1}", "unknown key 'gbps'"),
        ("nodes: [{gpus: 8}]\nnames: [a]", "unknown key 'names'"),
        ("5", "needs a list 'nodes'"),
        ("nodes: [{gpus: 8}]\nracks: [a]", "field racks: must be a mapping"),
        ("nodes: [{gpus: 8}]\ntypes: 5", "field types: must be a mapping"),
        ("nodes: [{gpus: 8}]\nlinks: [1]", "field links: must be a mapping"),
        ("nodes: [{gpus: 8, rack: [a]}]\nracks: {a: {}}", "unknown rack a list"),
        ("nodes: [{gpus: 8, rack: {a: 1}}]", "unknown rack a mapping"),
        ("nodes: [{gpus: 8, type: 3090}]", r"nodes\[0\].type: must be a word"),
        ("nodes: [{gpus: 8, count: 19999}, {gpus: 8, count: 2}]", "more than 20,000 nodes"),
        ("nodes: [{gpus: 9223372036854775807, count: 2}]", "more than 1,024 GPUs of a node"),
        ("nodes: [{gpus: 8, gpus: 4}]", "key 'gpus' is given twice"),
        ("nodes: [{gpus: " + "9" * 5000 + "}]", "not valid YAML"),
        ("a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nnodes: *c", "aliases"),
    ],
)
def test_file_that_breaks_a_rule(tmp_path, text, culprit):
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=culprit) as caught:
        Cluster.parse(path)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ("2x9223372036854775807", "more than 1,024 GPUs of a node"),
        (",".join(["1x1"] * 20_001), "--cluster: "),
        ("9" * 5_000 + "x1", "does not parse at"),
        ("\u0663x8", "does not parse at"),
        ("x" * 10**7, "does not parse at"),
        ("t4\x1b[2J:1x1", "does not parse at"),
    ],
)
def test_specification_beyond_the_limits(spec, rule):
    with pytest.raises(InputError, match=rule) as caught:
        Cluster.parse(spec)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()


KINDS = ("gpu", "t4", "cpu", "a-1_B")


def drawn(seed):
    """A description with groups in any order, in which every key may be missing."""
    rng = np.random.default_rng(seed)
    racks = {f"rack{k}": rng.choice([None, {}, {"uplink_gbps": float(k + 1)}]) for k in range(int(rng.integers(0, 4)))}
    types = {kind: rng.choice([None, {}, {"speed": float(rng.uniform(0.5, 3))}]) for kind in KINDS[: rng.integers(4)]}
    nodes = []
    for _ in range(int(rng.integers(1, 6))):
        group = {"gpus": int(rng.integers(1, 9))}
        group |= {"count": int(rng.integers(1, 4))} if rng.random() < 0.7 else {}
        group |= {"type": str(rng.choice(KINDS))} if rng.random() < 0.7 else {}
        group |= {"rack": str(rng.choice(list(racks)))} if racks and rng.random() < 0.7 else {}
        nodes.append(group)
    links = rng.choice([None, {}, {"node_gbps": 25.0}])
    return {"nodes": nodes, "racks": racks, "types": types, "links": links}


@pytest.mark.parametrize("seed", range(40))
def test_every_node_is_as_its_group_says(seed):
    """One node, of type gpu, in the first rack, of speed 1, with 10 Gbit/s and no limit above, unless it is said."""
    given = drawn(seed)
    if seed % 4 == 0:
        given = {name: value for name, value in given.items() if value}
    cluster = Cluster.named("folder/their.yaml", given, as_written=True)
    racks = list(given.get("racks") or {}) or ["only"]
    nodes = [group for group in given["nodes"] for _ in range(group.get("count", 1))]
    types = given.get("types") or {}
    assert cluster.nodes == len(nodes)
    assert cluster.gpus.tolist() == [node["gpus"] for node in nodes]
    kinds = [node.get("type", "gpu") for node in nodes]
    assert cluster.gpu_type == tuple(kinds)
    assert cluster.is_gpu.tolist() == [kind != "cpu" for kind in kinds]
    assert cluster.total_gpus == sum(node["gpus"] for node, kind in zip(nodes, kinds, strict=True) if kind != "cpu")
    assert cluster.rack.tolist() == [racks.index(node.get("rack", racks[0])) for node in nodes]
    assert cluster.speed.tolist() == [(types.get(kind) or {}).get("speed", 1.0) for kind in kinds]
    assert cluster.node_gbps == (given.get("links") or {}).get("node_gbps", 10.0)
    uplinks = [((given.get("racks") or {}).get(rack) or {}).get("uplink_gbps", math.inf) for rack in racks]
    assert cluster.rack_gbps.tolist() == uplinks
    assert cluster.spec == "their.yaml"


@pytest.mark.parametrize(("place", "endless"), [("types", False), ("racks", True), ("links", True)])
def test_speeds_and_capacities_are_a_millionth_to_a_million(place, endless):
    """Both ends are accepted; a capacity may be infinite, a speed may not; true is no number."""

    def made(value):
        table = {"types": {"gpu": {"speed": value}}, "racks": {"a": {"uplink_gbps": value}}}
        return Cluster.named("c", {"nodes": [{"gpus": 8}], place: table.get(place, {"node_gbps": value})})

    for value in (1e-6, 1, 1e6) + (math.inf,) * endless:
        cluster = made(value)
        assert {"types": cluster.speed[0], "racks": cluster.rack_gbps[0], "links": cluster.node_gbps}[place] == value
    for value in (0.999e-6, 1.001e6, 0, -1, True, "1", None, math.nan, -math.inf) + (math.inf,) * (not endless):
        with pytest.raises(InputError, match=r"(gpu\.speed|a\.uplink_gbps|links\.node_gbps): must be"):
            made(value)


def test_counts_are_whole_numbers_up_to_the_caps():
    """1 to 20,000 nodes of 1 to 1,024 GPUs, 200,000 GPUs in all; types are words of up to 64 letters."""
    for count, gpus in ((1, 1), (20_000, 1), (1, 1_024), (20_000, 10), (195, 1_024)):
        assert Cluster.named("c", {"nodes": [{"count": count, "gpus": gpus}]}).total_gpus == count * gpus
        assert Cluster.parse(f"{count}x{gpus}").total_gpus == count * gpus
    for count, gpus in ((20_001, 1), (1, 1_025), (20_000, 11), (196, 1_024)):
        for make in (lambda c, g: Cluster.named("c", {"nodes": [{"count": c, "gpus": g}]}), parsed):
            with pytest.raises(InputError, match="more than"):
                make(count, gpus)
    for value in (0, -1, 1.0, True, "1", None):
        for key in ("count", "gpus"):
            with pytest.raises(InputError, match=rf"nodes\[0\]\.{key}: must be a whole number of at least 1"):
                Cluster.named("c", {"nodes": [{"gpus": 1, key: value}]})
    for kind in ("a" * 64, "a-b_1"):
        assert Cluster.named("c", {"nodes": [{"gpus": 1, "type": kind}]}).gpu_type == (kind,)
        assert Cluster.parse(f"{kind}:2x1").gpu_type == (kind, kind)
    for kind in ("a" * 65, "1a", "-a", "a b", ""):
        with pytest.raises(InputError, match=r"type: must be a word"):
            Cluster.named("c", {"nodes": [{"gpus": 1, "type": kind}]})


def parsed(count, gpus):
    return Cluster.parse(f"{count}x{gpus}")
