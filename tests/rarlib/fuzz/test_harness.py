"""The harness sees what it is for: faults, hangs, crashes, memory, files not a case's own; and repeats itself."""

import os
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from tests.rarlib.fuzz import campaign, outcome, registry, worker
from tests.rarlib.fuzz.case import Case, Target
from tests.rarlib.fuzz.outcome import FINDING, REFUSED, VALID
from tests.rarlib.fuzz.values import NUMBERS, TEXTS, Values

VALUES = Values(NUMBERS, TEXTS, (None, [1], {"a": "b"}))


def _spin(inputs, given):
    while True:
        pass


def _refuse(inputs, given):
    raise InputError("must be whole", file=inputs / "a")


def _crash(inputs, given):
    os._exit(11)


def _hold(inputs, given):
    return len(bytearray(3 * 2**29))


def _overwrite(inputs, given):
    (inputs / "a").write_text("other")


def _remove(inputs, given):
    (inputs / "a").unlink()


def _swallow(inputs, given):
    try:
        Path("/rarlib-fuzz-elsewhere").write_text("x")
    except OSError:
        return


def _fail(inputs, given):
    raise KeyError("x")


def _write(inputs, given):
    Path("out.csv").write_text((inputs / "a").read_text())


BEHAVIOURS = [
    (_write, VALID, ""),
    (_refuse, REFUSED, "must be whole"),
    (_fail, FINDING, "KeyError"),
    (_spin, FINDING, "s of a processor"),
    (_crash, FINDING, "died with exit code 11"),
    (_hold, FINDING, "MiB of memory"),
    (_overwrite, FINDING, "touched what is not its own: open"),
    (_remove, FINDING, "touched what is not its own: os.remove"),
    (_swallow, FINDING, "touched what is not its own: open /rarlib-fuzz-elsewhere"),
]


@pytest.mark.parametrize(("run", "verdict", "said"), BEHAVIOURS, ids=lambda each: getattr(each, "__name__", ""))
def test_what_a_target_does_is_judged(monkeypatch, run, verdict, said):
    monkeypatch.setitem(registry.TARGETS, "toy", Target("toy", lambda draw: ({}, None), run))
    monkeypatch.setattr(outcome, "MOST_BYTES", 2**30)
    found = worker.ran_alone(Case("toy", {"a": b"1"}))
    assert found.verdict == verdict
    assert said in found.said
    assert not Path("/rarlib-fuzz-elsewhere").exists()


def test_a_crash_is_not_the_end(monkeypatch):
    """The cases after it are run, each once."""
    run = lambda inputs, given: _crash(inputs, given) if given == 2 else None  # noqa: E731
    monkeypatch.setitem(registry.TARGETS, "toy", Target("toy", lambda draw: ({}, None), run))
    found = worker.ran(iter([[0, 1, 2, 3], [4, 5]]), lambda number: Case("toy", {}, number), 2)
    verdicts = {each.number: each.outcome.verdict for each in found}
    assert verdicts == {number: FINDING if number == 2 else VALID for number in range(6)}


def test_seed_and_number_determine_a_case():
    cases = [campaign.case_of(number, 5, VALUES) for number in range(200)]
    assert cases == [campaign.case_of(number, 5, VALUES) for number in range(200)]
    assert cases != [campaign.case_of(number, 6, VALUES) for number in range(200)]
    assert {campaign.case_of(number, 5, VALUES).target for number in range(1_500)} == set(registry.TARGETS)
