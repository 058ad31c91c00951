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


def test_types_in_order():
    """Groups out of order would put a type's GPUs on other nodes."""
    cluster = Cluster.parse("t4:2x4, rtx:1x8,a100:1x2")
    assert cluster.gpus.tolist() == [4, 4, 8, 2]
    assert cluster.gpu_type == ("t4", "t4", "rtx", "a100")
    assert cluster.speed.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("spec", ["", "8", "20x", "x8", "0x8", "20x0", "20x8x2", "-1x8", "20X8", "4x8,", "2.5x8", "é"])
def test_specification_that_does_not_parse(spec):
    """A typo must not become a cluster of another size."""
    with pytest.raises(InputError, match=r"--cluster: .*does not parse at"):
        Cluster.parse(spec)


def write(folder, text):
    path = folder / "cluster.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_file_with_racks_types_and_links(tmp_path):
    """Nodes must get the speed of their type and the index of their rack."""
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
    assert cluster.gpus.tolist() == [8, 8, 4]
    assert cluster.speed.tolist() == [2.5, 2.5, 1.0]
    assert cluster.rack.tolist() == [0, 0, 1]
    assert cluster.rack_gbps.tolist() == [100.0, np.inf]
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
    ],
)
def test_file_that_breaks_a_rule(tmp_path, text, culprit):
    """Each broken rule is one line that names file and key."""
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=culprit) as caught:
        Cluster.parse(path)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    """The name of the file must be in the message."""
    with pytest.raises(InputError, match=r"absent\.yaml: no such file"):
        Cluster.parse(str(tmp_path / "absent.yaml"))
