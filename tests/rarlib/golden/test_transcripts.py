"""The simulator does what the transcripts say, line by line; and the manual lists every transcript."""

import re

import pytest

from rarlib.model.errors import DecisionError, InputError
from rarlib.model.scheduler import discipline_of
from rarlib.simulator import policy
from rarlib.simulator.identities import IdentityError
from tests.rarlib.golden import scenario
from tests.rarlib.golden.observer import Observer, totals
from tests.rarlib.simulator.toys import intervals

TRANSCRIPTS = sorted(scenario.FOLDER.glob("*.yaml"))
ROOT = scenario.FOLDER.parents[2]
PAGE = ROOT / "docs" / "rules-by-example.md"


def lines(text):
    """What a transcript says, without the arithmetic in its comments and the spaces that align it."""
    said = (" ".join(line.split("#")[0].split()) for line in text.splitlines())
    return [line for line in said if line]


def watch(given, monkeypatch, **options):
    """The observer of a scenario, and its run."""
    observer = Observer([f"job {name}" for name in scenario.jobs_of(given).job_id])
    monkeypatch.setattr(policy, "open_instant", observer.open_instant)
    run = scenario.play(given, observer.learned, **options)
    observer.look()
    return observer, run


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_run_is_the_transcript(path, monkeypatch):
    """Every event, in order, with its time, its GPUs and the iteration time that follows; then the totals."""
    given = scenario.read(path)
    if "refused" in given:
        with pytest.raises((DecisionError, IdentityError, InputError)) as caught:
            watch(given, monkeypatch, compiled=False)
        assert str(caught.value) == given["refused"]
        return
    observer, run = watch(given, monkeypatch, compiled=False)
    assert observer.log == lines(given["log"])
    assert totals(run) == lines(given["totals"])
    assert intervals(run) == sorted(observer.held)


COMPILED = [
    path for path in TRANSCRIPTS
    if "log" in (given := scenario.read(path)) and not {"script", "sjf-bco"} & given["scheduler"].keys()
    and "forecast" not in given and "phases" not in given.get("cost", {})
]  # fmt: skip


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.stem)
def test_the_compiled_driver_gives_the_same_run(path):
    """It keeps no log, but the same GPUs for the same time, the same totals and as many passes."""
    given = scenario.read(path)
    assert discipline_of(scenario.scheduler_of(given, None, None))
    compiled, plain = (scenario.play(given, lambda jobs: None, compiled=choice) for choice in (True, False))
    assert totals(compiled) == lines(given["totals"])
    assert intervals(compiled) == intervals(plain)
    assert compiled.counters == plain.counters


def test_the_page_lists_every_transcript():
    """One that nobody finds explains nothing."""
    table = PAGE.read_text(encoding="utf-8").partition("| about |")[2]
    listed = re.findall(r"\(\.\./tests/rarlib/golden/([\w-]+)\.yaml\)", table)
    assert sorted(listed) == sorted(path.stem for path in TRANSCRIPTS)


def test_the_page_shows_a_transcript_as_it_is():
    """The one printed on the page is the file."""
    (shown,) = re.findall(r"(?s)```yaml[^\n]*\n(.*?)```", PAGE.read_text(encoding="utf-8"))
    assert shown == (scenario.FOLDER / "head-of-the-queue.yaml").read_text(encoding="utf-8")
