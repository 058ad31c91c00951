"""The harness sees what it is for: faults, hangs, crashes, memory, files not a case's own; and repeats itself."""

import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from rarlib.declared import scheduler_names
from rarlib.measured.cells import PREDICTED, source_of
from rarlib.measured.inputs import READERS
from rarlib.model.errors import InputError
from rarlib.records.columns import read_columns
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import listed_sources
from tests.fuzz import campaign, outcome, own_data, progress, registry, worker
from tests.fuzz.case import Case, Target, from_text, to_text
from tests.fuzz.draw import Draw
from tests.fuzz.measured_samples import MADE
from tests.fuzz.outcome import FINDING, REFUSED, VALID, Outcome
from tests.fuzz.targets import schedulers
from tests.fuzz.targets.commands import BadEndingError, run_command
from tests.fuzz.values import NUMBERS, TEXTS, Values

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


@pytest.mark.parametrize("words", [["no-such-command"], ["claims", "nowhere"], ["simulate"]])
def test_a_command_that_refuses_its_input_does_so_in_one_line(words):
    with pytest.raises(InputError, match=r"^error: "):
        run_command(words)


@pytest.mark.parametrize("text", ["Traceback (most recent call last)", "error: one\nerror: two", "error: a\x1b[2J"])
def test_other_endings_of_a_command_are_findings(monkeypatch, text):
    def told(words):
        sys.stderr.write(f"{text}\n")
        raise SystemExit(2)

    monkeypatch.setattr("tests.fuzz.targets.commands.main", told)
    with pytest.raises(BadEndingError):
        run_command(["claims"])


def test_seed_and_number_determine_a_case():
    cases = [campaign.case_of(number, 5, VALUES) for number in range(200)]
    assert cases == [campaign.case_of(number, 5, VALUES) for number in range(200)]
    assert cases != [campaign.case_of(number, 6, VALUES) for number in range(200)]
    assert {campaign.case_of(number, 5, VALUES).target for number in range(1_500)} == set(registry.TARGETS)


def test_a_case_survives_the_corpus():
    for number in range(100):
        case = campaign.case_of(number, 7, VALUES)
        assert from_text(to_text(case)) == case


def test_every_scheduler_is_drawn():
    draw = Draw(VALUES, "schedulers")
    words = [schedulers.TARGETS[0].draw(draw)[1] for _ in range(600)]
    assert {given[given.index("--scheduler") + 1] for given in words} == set(scheduler_names())


@pytest.mark.parametrize("source", READERS)
def test_every_measured_source_has_made_up_files_that_are_scored(source):
    """Changes of files that are refused anyway would find nothing."""
    assert set(MADE[source]) == set(READERS[source].kinds)
    frames = {
        file: read_columns_of(MADE[source][file], kinds, READERS[source].gaps.get(file, ()))
        for file, kinds in READERS[source].kinds.items()
    }
    made = source_of(source, frames, {})
    for quantity in (each for each, about in PREDICTED.items() if about[0] == source):
        assert len(made.scored(quantity)) >= 2


def read_columns_of(data, kinds, gaps):
    with NamedTemporaryFile(suffix=".csv") as file:
        file.write(data)
        file.flush()
        return read_columns(Path(file.name), kinds, gaps=gaps)


def test_a_data_folder_of_a_case_lists_its_files_as_they_are(tmp_path, monkeypatch):
    """A file under a name of the project's list is read, whatever is in it; all others are missing."""
    (tmp_path / "in/data/raw/pai-sample").mkdir(parents=True)
    (tmp_path / "in/data/raw/pai-sample/case_2000.csv").write_text("anything\n")
    monkeypatch.chdir(tmp_path)
    with own_data.data_of(tmp_path / "in"):
        listed = listed_sources()
        assert at_hand(listed["pai-sample"][0]).path.read_text() == "anything\n"
        assert at_hand(listed["philly-pollux"][0]) is None


def test_a_campaign_goes_on_where_it_stopped(tmp_path):
    first = progress.Progress(3, tmp_path)
    first.add(worker.Ran(0, "toy", Outcome(VALID)))
    first.add(worker.Ran(4, "toy", Outcome(FINDING, "KeyError")))
    with first.path.open("a") as file:
        file.write('[5, "to')  # interrupted
    again = progress.Progress(3, tmp_path)
    assert again.done == {0, 4}
    assert [each.outcome.said for each in again.findings] == ["KeyError"]
    assert again.summary().splitlines() == [",".join(progress.COLUMNS), "toy,2,1,0,1,3", "all,2,1,0,1,3"]
