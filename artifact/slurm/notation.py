"""How Slurm writes lists of nodes, limits, times and resources."""

import math
import re
from datetime import datetime
from itertools import product

from rarlib.model.errors import InputError, shown
from rarlib.model.limits import CLUSTER_NODES

NUMBER = re.compile(r"[0-9]{1,18}")
"""A whole number, of a job or in a limit."""
_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_FOREVER_S = 365 * 86_400.0


def host_names(text: str) -> list[str]:
    """Names in a list of nodes of Slurm's, such as `a[1-3,07-08],b`, in its order.

    Raises:
        InputError: for a list that is none, or one of more nodes than a cluster may have.
    """
    names: list[str] = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        pieces = [_spans(piece) if piece.startswith("[") else [piece] for piece in re.split(r"(\[[^\]]*\])", part)]
        if len(names) + math.prod(map(len, pieces)) > CLUSTER_NODES.most:
            raise InputError(f"names more than {CLUSTER_NODES.most:,} nodes: {shown(text)}", file="Slurm")
        names += ["".join(each) for each in product(*pieces)]
    return names


def _spans(text: str) -> list[str]:
    spans: list[str] = []
    for first, last in map(_span, text.strip("[]").split(",")):
        if len(spans) + int(last) - int(first) >= CLUSTER_NODES.most:
            raise InputError(f"names more than {CLUSTER_NODES.most:,} nodes: {shown(text)}", file="Slurm")
        spans += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return spans


def _span(text: str) -> tuple[str, str]:
    """First and last number of `3-7`, or of `3`."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise InputError(f"lists numbers as {shown(text)}", file="Slurm")
    return found[1], found[2] or found[1]


def tres_count(text: str, name: str) -> int:
    """How many of a resource a list such as `cpu=5,node=1,gres/gpu=2` has."""
    found = re.search(rf"(?:^|,){re.escape(name)}=([0-9]+)(?:,|$)", text)
    return int(found[1]) if found else 0


def limit_seconds(text: str) -> float:
    """A limit as Slurm prints it (`5:00`, `1-02:00:00`) in seconds; a year for none."""
    days, dash, rest = text.rpartition("-")
    parts = rest.split(":")
    if not all(NUMBER.fullmatch(part) for part in [*parts, *([days] if dash else [])]):
        return _FOREVER_S
    seconds = 0.0
    for part in parts:
        seconds = 60.0 * seconds + int(part)
    return min(seconds + 86_400.0 * int(days or 0), _FOREVER_S)


def point_in_time(text: str) -> float:
    """A point in time in seconds since 1970; 0 for none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0


def id_count(text: str) -> int:
    """How many numbers a list such as `0-3,7` has.

    Raises:
        InputError: for a list that is none.
    """
    return sum(int(last) - int(first) + 1 for first, last in map(_span, filter(None, text.split(","))))


def gres_count(text: str) -> int:
    """GPUs in a list of generic resources such as `gpu:a100:2(IDX:0-1)`."""
    return sum(int(count) for count in re.findall(r"(?:^|,)gpu(?::[A-Za-z][\w-]*)?:([0-9]+)", text))
