"""Cluster specifications: what parses means what it says, what does not is refused naming the culprit."""

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
        ("nodes: [{gpus: true}]", r"nodes\[0\].gpus"),
        ("nodes: [{gpus: 8, count: 1.5}]", r"nodes\[0\].count"),
        ("nodes: [{gpu: 8}]", "unknown key 'gpu'"),
        ("nodes: [8]", r"nodes\[0\]"),
        ("nodes: [{gpus: 8, rack: up}]\nracks: {down: {}}", "unknown rack 'up'"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {speed: 0}}", "t4.speed"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {pace: 1}}", "unknown key 'pace'"),
        ("nodes: [{gpus: 8}]\nlinks: {gbps: 1}", "unknown key 'gbps'"),
        ("nodes: [{gpus: 8}]\nnames: [a]", "unknown key 'names'"),
        ("nodes: 5", "needs a list 'nodes'"),
        ("nodes: {a: 1}", "needs a list 'nodes'"),
        ("5", "needs a list 'nodes'"),
        ("nodes: [{gpus: 8}]\nracks: [a]", "field racks: must be a mapping"),
        ("nodes: [{gpus: 8}]\ntypes: 5", "field types: must be a mapping"),
        ("nodes: [{gpus: 8}]\nlinks: [1]", "field links: must be a mapping"),
        ("nodes: [{gpus: 8, rack: [a]}]\nracks: {a: {}}", "unknown rack a list"),
        ("nodes: [{gpus: 8, rack: {a: 1}}]", "unknown rack a mapping"),
        ("nodes: [{gpus: 8, type: [a]}]", r"nodes\[0\].type: must be a word"),
        ("nodes: [{gpus: 8, type: 3090}]", r"nodes\[0\].type: must be a word"),
        ("nodes: [{gpus: 8, type: ''}]", r"nodes\[0\].type: must be a word"),
        ("nodes: [{gpus: 8, count: 100000000}]", "more than 20,000 nodes"),
        ("nodes: [{gpus: 8, count: 19999}, {gpus: 8, count: 2}]", "more than 20,000 nodes"),
        ("nodes: [{gpus: 9223372036854775807, count: 2}]", "more than 1,024 GPUs of a node"),
        ("nodes: [{gpus: 1024, count: 200}]", "more than 200,000 GPUs"),
        ("nodes: [{gpus: 8, gpus: 4}]", "key 'gpus' is given twice"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {speed: .nan}}", "t4.speed"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {speed: .inf}}", "t4.speed"),
        ("nodes: [{gpus: 8, type: t4}]\ntypes: {t4: {speed: 1e-300}}", "t4.speed"),
        ("nodes: [{gpus: 8}]\nlinks: {node_gbps: 0}", "links.node_gbps: must be a positive number"),
        ("nodes: [{gpus: 8}]\nracks: {a: {uplink_gbps: -1}}", "a.uplink_gbps: must be a positive number"),
        ("nodes: [{gpus: " + "9" * 5000 + "}]", "not valid YAML"),
        ("a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nnodes: *c", "aliases"),
    ],
)
def test_file_that_breaks_a_rule(tmp_path, text, culprit):
    """Each broken rule is one line that names file and key."""
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=culprit) as caught:
        Cluster.parse(path)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ("100000000x1", "more than 20,000 nodes"),
        ("20001x1", "more than 20,000 nodes"),
        ("2x9223372036854775807", "more than 1,024 GPUs of a node"),
        ("1x1025", "more than 1,024 GPUs of a node"),
        ("200x1024", "more than 200,000 GPUs"),
        (",".join(["1x1"] * 20_001), "--cluster: "),
        ("9" * 5_000 + "x1", "does not parse at"),
        ("\u0663x8", "does not parse at"),
        ("x" * 10**7, "does not parse at"),
        ("t4\x1b[2J:1x1", "does not parse at"),
    ],
)
def test_specification_beyond_the_limits(spec, rule):
    """A slip of the finger would take the machine's memory, or wrap around to a negative number of GPUs."""
    with pytest.raises(InputError, match=rule) as caught:
        Cluster.parse(spec)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isprintable()
