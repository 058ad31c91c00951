"""What a policy that is not trusted says: its file and the settings of `rarlib evaluate`, and its answers."""

import json
import math
import socket
import threading
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from rarlib.discovery import make_scheduler
from rarlib.evaluation.processes import PolicyConnection, PolicyEnd, PolicyLimits
from rarlib.evaluation.remote import RemoteScheduler
from rarlib.evaluation.workloads import FIRST_LOOK
from rarlib.model.decisions import Start
from rarlib.simulator.engine import simulate
from tests.fuzz import mutate
from tests.fuzz.case import Files, Target
from tests.fuzz.draw import Draw
from tests.fuzz.targets.commands import run_command

_LIMITS = PolicyLimits(answer_s=60.0)
"""The fuzzed process answers at once or not at all; a machine that is busy must not change the outcome."""
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


class _Ended:
    """Stands for the process from which policies are forked."""

    def end(self, pid: int, grace_s: float = 0.0) -> PolicyEnd:
        return PolicyEnd(0, 0.0, by_us=False)


class _Recorded:
    """First in, first out, and what it has decided, as a policy would send it."""

    name: ClassVar[str] = "recorded"
    label: ClassVar[str] = "recorded"
    paper: ClassVar[str] = ""

    def __init__(self) -> None:
        self._inner, self.said = make_scheduler("fifo"), [json.dumps({"ready": "x"}).encode()]

    def decide(self, view: Any) -> Any:
        decided = list(self._inner.decide(view))
        assert all(isinstance(each, Start) for each in decided)
        self.said.append(json.dumps({"decisions": [["start", *each] for each in decided]}).encode())
        return decided


@cache
def _answers() -> tuple[bytes, ...]:
    drawn, policy = FIRST_LOOK.draw(0), _Recorded()
    simulate(drawn.jobs, drawn.cluster, policy, drawn.cost, compiled=False)
    return tuple(policy.said)


def _said(draw: Draw) -> tuple[Files, Any]:
    lines = list(_answers())
    for _ in range(draw.one([0, 1, 1, 1, 2])):
        at, kind = draw.below(len(lines)), draw.below(6)
        if kind < 3:
            lines[at] = json.dumps(mutate.tree(draw, json.loads(_answers()[at]))).encode()
        elif kind == 3:
            lines[at] = mutate.bytes_of(draw, lines[at], separators=b",:[")
        elif kind == 4:
            word = draw.one(["start", "stop", "wake", "allocate", draw.text()])
            decision = [word, *(draw.tree() for _ in range(draw.one([1, 2, 3])))]
            lines[at] = json.dumps({"decisions": [decision]}).encode()
        else:
            lines[at] += draw.one([b"\n" + lines[at], b"\n", b" " * 2**21])
    return {"answers": b"\n".join(lines) + draw.one([b"\n", b"\n", b""])}, None


def _believed(inputs: Path, given: Any) -> None:
    ours, theirs = socket.socketpair()
    voice = threading.Thread(target=_speak, args=(theirs, (inputs / "answers").read_bytes()), daemon=True)
    voice.start()
    ended: Any = _Ended()

    def connect(told: dict[str, Any]) -> PolicyConnection:
        connection = PolicyConnection(ended, ours, 1, _LIMITS, float("inf"))
        connection.ask(told, "while it was loaded", "ready")
        return connection

    policy = RemoteScheduler("policy", connect, "", 0)
    drawn = FIRST_LOOK.draw(0)
    try:
        run = simulate(drawn.jobs, drawn.cluster, policy, drawn.cost)
        assert run.finished.all()
    finally:
        policy.close()
        ours.close()
        voice.join()


def _speak(theirs: socket.socket, said: bytes) -> None:
    """One line for each message that comes; what follows the last one comes at once, and then nothing."""
    with theirs, theirs.makefile("rb") as asked:
        try:
            for line in said.splitlines(keepends=True):
                if not asked.readline():
                    return
                theirs.sendall(line)
        except OSError:  # the other side has had enough
            return


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


TARGETS = (Target("policy-answers", _said, _believed, 1.5), Target("evaluate", _evaluate, _scored, 0.2))
