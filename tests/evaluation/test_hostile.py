"""Hostile and broken policies: each ends soon, with a reason, and nothing of it is left or reached."""

import socket
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import psutil
import pytest

from rarlib.evaluation.evaluate import first_look, prepare_processes
from rarlib.evaluation.processes import PolicyError, PolicyLimits, PolicyProcesses
from rarlib.model.errors import InputError
from tests.evaluation.hostile import policies

LIMITS = PolicyLimits(answer_s=0.2, cpu_s=2, memory_bytes=2**28)


@pytest.fixture(scope="module", autouse=True)
def prepared() -> None:
    """The first test would otherwise wait for kernels to be compiled."""
    with PolicyProcesses() as processes:
        prepare_processes(processes)


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A folder with a file, and a port that accepts connections: neither may be touched."""
    (tmp_path / "secret").write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as near:
        near.bind(str(tmp_path / "socket"))
        near.listen()
        server.setblocking(False)
        near.setblocking(False)
        yield tmp_path, server.getsockname()[1]
        for each in (server, near):
            with pytest.raises(BlockingIOError):
                each.accept()


def judged(canary: tuple[Path, int], count: int) -> dict[str, tuple[str, float]]:
    """Reason and seconds of each of the first so many policies."""
    folder, port = canary
    before = children()
    found: dict[str, tuple[str, float]] = {}
    with PolicyProcesses() as processes:
        processes.ready()
        for what, text in islice(policies(), count):
            began = time.monotonic()
            aimed = text.replace("CANARY", str(folder)).replace("PORT", str(port))
            found[what] = first_look(processes, "hostile", aimed, LIMITS), time.monotonic() - began
            assert sorted(path.name for path in folder.iterdir()) == ["secret", "socket"], what
            assert (folder / "secret").read_text() == "a secret", what
    assert children() - before == set(), "no process is left"
    return found


def children() -> set[int]:
    """Processes that this one has started, and those that they have, ended ones included."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def check(found: dict[str, tuple[str, float]]) -> None:
    assert {what: why for what, (why, _) in found.items() if not why.startswith("first look: ")} == {}
    assert {what: why for what, (why, _) in found.items() if len(why) < 20 or "a secret" in why} == {}
    assert {what: seconds for what, (_, seconds) in found.items() if seconds > 5.0} == {}


def test_every_hostile_policy_gets_a_reason(canary: tuple[Path, int]) -> None:
    """150 of them; none hangs, escapes, forges an answer or ends without a word."""
    found = judged(canary, 150)
    assert len(found) == 150
    check(found)


@pytest.mark.release
def test_a_thousand_hostile_policies_get_a_reason(canary: tuple[Path, int]) -> None:
    """The same attempts from other places: while it is loaded, made, asked again."""
    found = judged(canary, 1000)
    assert len(found) >= 950
    check(found)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class A:\n    def decide(self, view):\n        while True: pass", "no answer within 0.2 s"),
        ("import torch", "ModuleNotFoundError: No module named 'torch' (line 1)"),
        ("open('/etc/passwd')", "PermissionError"),
        ("import ctypes\nctypes.string_at(0)", "it crashed (SIGSEGV)"),
        ("x = bytearray(1 << 33)", "more memory than is allowed"),
        ("class A:\n    def decide(self, view):\n        return 1 / 0", "ZeroDivisionError: division by zero (line 3)"),
        ("class A:\n    def decide(self, view): return []", "the scheduler never starts it"),
        ("x = (", "SyntaxError: '(' was never closed (line 1)"),
        ("\0", "SyntaxError: source code string cannot contain null bytes"),
        ("b'x'.decode('no-such-encoding')", "LookupError: unknown encoding: no-such-encoding (line 1)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt (line 1)"),
        ("class Odd(Exception):\n    def __str__(self): return 1 / 0\nraise Odd", "Odd (line 3)"),
        ("x = 1", "the file must define one class with a method decide, 0 found"),
    ],
)
def test_reasons_say_what_to_mend(text: str, reason: str) -> None:
    with PolicyProcesses() as processes:
        processes.ready()
        assert reason in first_look(processes, "policy", text, LIMITS)


def test_a_policy_sees_no_job_before_it_is_submitted() -> None:
    """Neither through the view nor in its memory: the other side has never sent it."""
    text = """
import gc
class A:
    def decide(self, view):
        seen = sum(view.prices.work > 0)
        known = {each.row for each in gc.get_objects() if type(each).__name__ == "Job"}
        raise ValueError(f"seen {seen}, known {len(known)}, left {view.arrivals_left}")
"""
    with PolicyProcesses() as processes:
        assert "seen 1, known 1, left 24 " in first_look(processes, "policy", text, LIMITS)


def test_processor_time_is_limited() -> None:
    """Also of a policy that has time to answer."""
    told = {"text": "while True: pass", "name": "policy", "seed": 0}
    with PolicyProcesses() as processes, pytest.raises(PolicyError, match="more than 1 s of a processor"):
        processes.start(told, PolicyLimits(answer_s=30.0, cpu_s=1))


def test_a_machine_that_cannot_confine_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the user trusts the file."""
    monkeypatch.setattr("rarlib.evaluation.seccomp.platform.machine", lambda: "riscv64")
    with pytest.raises(InputError, match=r"cannot be confined here: .* riscv64; --trust runs it"):
        PolicyProcesses()
    with PolicyProcesses(trusted=True) as processes:
        assert "ZeroDivisionError" in first_look(processes, "policy", "import sqlite3\n1 / 0", LIMITS)
