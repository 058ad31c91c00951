"""The file and the options of `rarlib evaluate`."""

import math
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rarlib.evaluation.workloads import FIRST_LOOK
from tests.rarlib.fuzz import mutate
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command

_GOOD = b"""\
from rarlib.model.decisions import Start, Wake


class Policy:
    def decide(self, view):
        free = view.free.tolist()
        for job in view.waiting:
            gpus = job.gpus
            placement = []
            for node, left in enumerate(free):
                take = min(left, gpus)
                if take:
                    placement.append((node, take))
                    gpus -= take
            if gpus:
                return
            for node, take in placement:
                free[node] -= take
            yield Start(job.row, tuple(placement))
"""
_STATEMENTS = (
    *(b"yield Wake(float('%s'))", b"yield Start(job.row, ((%s, 1),))", b"yield Start(%s, ((0, 1),))"),
    *(b"raise ValueError('%s')", b"yield '%s'", b"view.now_s = %s", b"free = [%s]", b"print('%s')"),
)


def _evaluate(draw: Draw) -> tuple[Files, Any]:
    source = _GOOD
    kind = draw.below(4)
    if kind == 0:
        source = mutate.bytes_of(draw, source, separators=b" \n(.,")
    elif kind < 3:
        lines = source.splitlines()
        at = draw.one([7, 9, 11, 15, 17])
        value = draw.text().encode("utf-8", "replace").replace(b"\n", b" ")[:300]
        statement = draw.one(_STATEMENTS).replace(b"%s", value)
        lines.insert(at, lines[at][: len(lines[at]) - len(lines[at].lstrip())] + statement)
        source = b"\n".join(lines) + b"\n"
    budget, seeds = (draw.number().replace("\0", "") for _ in range(2))
    words = ["--budget", draw.one(["0.5", "0.5", "1e-9", "0.5" if _is_long(budget) else budget])]
    words += ["--seeds", draw.one(["1", "2", seeds])]
    return {"policy.py": source}, [*words, *(["--json"] if draw.chance(0.5) else [])]


def _is_long(budget: str) -> bool:
    """Whether an evaluation would take more than a second because it was told to, which is no hang."""
    try:
        return 1.0 < float(budget) < math.inf
    except ValueError:
        return False


def _scored(inputs: Path, given: Any) -> None:
    with patch("rarlib.evaluation.evaluate.EVALUATION_SETTINGS", (FIRST_LOOK,)):
        run_command(["evaluate", str(inputs / "policy.py"), *given])


TARGETS = (Target("evaluate", _evaluate, _scored, 0.2),)
