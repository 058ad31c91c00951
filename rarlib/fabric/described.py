"""Shapes as a file describes them: `{"shape": "leaf-spine", "racks": 2, ...}`."""

import csv
from collections.abc import Callable

import numpy as np

from rarlib.fabric.entry import Entry
from rarlib.fabric.shapes import Shape, fat_tree, leaf_spine, one_switch, rack_tree, switch_tree
from rarlib.model import limits
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.inputs import file_text

_MOST_GBPS = 1e9
_MOST_DEGREE = 42  # 18,522 servers


def described_shape(entry: Entry) -> Shape:
    """The shape that an object describes; docs/fabric.md lists the keys.

    Raises:
        InputError: naming the key.
    """
    name = entry.text("shape")
    if name not in _SHAPES:
        raise entry.error(f"must be one of {', '.join(_SHAPES)}{did_you_mean(name, _SHAPES)}", "shape")
    keys, make = _SHAPES[name]
    entry.refuse_unknown({"shape", "nic_gbps", "ecmp_seed", *keys})
    return make(entry, _gbps(entry, "nic_gbps"))


def _gbps(entry: Entry, key: str) -> float:
    return entry.number(key, low=0.0, above=True, high=_MOST_GBPS)


def _count(entry: Entry, key: str) -> int:
    return entry.whole(key, low=1, high=limits.CLUSTER_NODES.most)


def _racks(entry: Entry) -> tuple[int, int]:
    racks, per_rack = _count(entry, "racks"), _count(entry, "servers_per_rack")
    entry.check(racks * per_rack, limits.CLUSTER_NODES, "racks")
    return racks, per_rack


def _uplink(entry: Entry, below_gbps: float, uplinks: int) -> float:
    """Capacity of one of a switch's uplinks: as stated, or from the over-subscription of the switch."""
    if ("uplink_gbps" in entry.value) == ("oversubscription" in entry.value):
        raise entry.error("needs one of uplink_gbps and oversubscription")
    if "uplink_gbps" in entry.value:
        return _gbps(entry, "uplink_gbps")
    return below_gbps / (uplinks * entry.number("oversubscription", low=0.0, above=True, high=1e6))


def _one_switch(entry: Entry, nic_gbps: float) -> Shape:
    return one_switch(_count(entry, "servers"), nic_gbps)


def _one_link(entry: Entry, nic_gbps: float) -> Shape:
    return one_switch(0, nic_gbps)


def _tree(entry: Entry, nic_gbps: float) -> Shape:
    racks, per_rack = _racks(entry)
    rack = np.repeat(np.arange(racks), per_rack)
    uplink_gbps = _uplink(entry, per_rack * nic_gbps, 1)
    return rack_tree(rack, np.full(len(rack), nic_gbps), np.full(racks, uplink_gbps))


def _leaf_spine(entry: Entry, nic_gbps: float) -> Shape:
    racks, per_rack = _racks(entry)
    spines = _count(entry, "spines")
    return leaf_spine(racks, per_rack, spines, nic_gbps, _uplink(entry, per_rack * nic_gbps, spines))


def _fat_tree(entry: Entry, nic_gbps: float) -> Shape:
    k = entry.whole("k", low=2, high=_MOST_DEGREE)
    if k % 2:
        raise entry.error(f"must be even, found {k}", "k")
    return fat_tree(k, nic_gbps, _uplink(entry, nic_gbps, 1))


def _file(entry: Entry, nic_gbps: float) -> Shape:
    """A table of servers: first their names, then the switch of each layer, the highest first."""
    path = entry.file.parent / entry.text("path")
    lines = csv.reader(file_text(path).splitlines())
    try:
        rows = list(lines)
    except csv.Error as error:
        raise InputError(f"cannot be read as CSV: {error}", file=path, row=lines.line_num) from None
    entry.check(len(rows) - 1, limits.CLUSTER_NODES, "path")
    if len(rows) < 2 or len(rows[0]) < 2:
        raise InputError("must have a header, a column of servers and at least one of switches", file=path)
    layers = tuple(reversed(rows[0][1:]))
    if len({*layers}) < len(layers) or not all(layers):
        raise InputError("layers must have names of their own", file=path, row=1)
    switches = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]) or not all(row):
            raise InputError(f"must have {len(rows[0])} fields, none of them empty", file=path, row=number)
        # Two switches of one name below different ones are two.
        switches.append(tuple(".".join(row[1 : 1 + depth]) for depth in range(len(layers), 0, -1)))
    uplinks = entry.part("uplinks_gbps")
    uplinks.refuse_unknown(layers[:-1])
    roots = {row[-1] for row in switches}
    if len(roots) > 1:
        raise InputError(f"the highest layer must be one switch, found {len(roots)}", file=path, field=layers[-1])
    below = [row[:-1] for row in switches]
    return switch_tree(below, layers[:-1], nic_gbps, tuple(_gbps(uplinks, layer) for layer in layers[:-1]))


_Make = Callable[[Entry, float], Shape]
_SHAPES: dict[str, tuple[tuple[str, ...], _Make]] = {
    "one-link": ((), _one_link),
    "one-switch": (("servers",), _one_switch),
    "tree": (("racks", "servers_per_rack", "uplink_gbps", "oversubscription"), _tree),
    "leaf-spine": (("racks", "servers_per_rack", "spines", "uplink_gbps", "oversubscription"), _leaf_spine),
    "fat-tree": (("k", "uplink_gbps", "oversubscription"), _fat_tree),
    "file": (("path", "uplinks_gbps"), _file),
}
