"""How Slurm writes lists of nodes."""

import math
import re
from itertools import product

from rarlib.model.errors import InputError, shown
from rarlib.model.limits import CLUSTER_NODES

_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


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
