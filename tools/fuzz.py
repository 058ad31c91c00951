"""Odd inputs for every boundary of the artifact: `python -m tools.fuzz --seed 1 --cases 2000`.

A case is determined by seed and number, given the same mirrors. Allowed is a valid result or the documented error. A
traceback, more than 5 s or 1 GiB, or a file touched outside of the folder of outputs is a finding; the exit code is 1
if there is any. A campaign that was interrupted goes on where it stopped (`build/fuzz`). `--target` draws from some
targets only; with `--accept` it then replaces their rows of the accepted summary, and no others. `--save` writes a case
to the corpus, whose cases the tests repeat: replace what it holds of recorded data by made-up values before it is
committed.
"""

import os
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tests.rarlib.fuzz.campaign import ready, run_campaign
from tests.rarlib.fuzz.case import Case, from_text, to_text
from tests.rarlib.fuzz.outcome import FINDING, VALID
from tests.rarlib.fuzz.progress import Progress
from tests.rarlib.fuzz.registry import TARGETS
from tests.rarlib.fuzz.worker import Ran, ran_alone

ACCEPTED = ROOT / "results" / "expected" / "fuzz.csv"
CORPUS = ROOT / "tests" / "rarlib" / "fuzz" / "corpus"
_EVERY_S = 10.0


def main(  # noqa: PLR0913, PLR0917 - the options of the command
    seed: Annotated[int | None, typer.Option(min=0, help="Seed; by default a new one, which is printed.")] = None,
    cases: Annotated[int, typer.Option(min=1, help="Number of cases.")] = 2_000,
    target: Annotated[list[str] | None, typer.Option(help="Only this target; may be repeated.")] = None,
    only: Annotated[int | None, typer.Option(min=0, help="Run this case of the seed, and show it.")] = None,
    save: Annotated[str | None, typer.Option(help="With --only: also write it to the corpus, under this name.")] = None,
    limit_s: Annotated[float, typer.Option(help="Begin nothing after so many seconds, and say so.")] = float("inf"),
    workers: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = os.cpu_count() or 1,
    accept: Annotated[bool, typer.Option("--accept", help="Write the summary to results/expected/fuzz.csv.")] = False,
    corpus: Annotated[bool, typer.Option("--corpus", help="Repeat the cases of the corpus instead.")] = False,
) -> None:
    """Run cases and print what each target made of them."""
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    names = sorted({*(target or ())})
    if unknown := [name for name in names if name not in TARGETS]:
        raise typer.BadParameter(f"no target {unknown[0]!r}; there are {', '.join(sorted(TARGETS))}")
    if corpus:
        raise typer.Exit(_repeat_corpus())
    if only is not None:
        raise typer.Exit(_run_one(ready(seed, names or TARGETS)(only), save))
    print(f"fuzz: seed {seed}, {cases:,} cases; python -m tools.fuzz --seed {seed} --only N repeats case N", flush=True)
    progress = Progress(seed, names=names)
    ended = run_campaign(progress, ready(seed, names or TARGETS), cases, workers, limit_s, _Report(cases))
    print(progress.summary(), end="")
    for each in progress.findings:
        print(_line(each))
    if not ended:
        print(f"!!!! STOPPED after {limit_s:.0f} s: {len(progress.done):,} of {cases:,} cases ran on this machine")
    if accept:
        write_text(
            ACCEPTED, merged(ACCEPTED.read_text(encoding="utf-8"), progress.summary()) if names else progress.summary()
        )
    raise typer.Exit(1 if progress.findings else 0)


def merged(before: str, now: str) -> str:
    """A summary with the targets of another one in the place of its own; the row of all names every seed."""
    header, *rows = [line.split(",") for line in (*before.splitlines(), *now.splitlines()[1:])]
    of = {row[0]: row for row in rows if row[0] != "all"}
    sums = [str(sum(int(row[at]) for row in of.values())) for at in range(1, len(header) - 1)]
    seeds = "+".join(dict.fromkeys(row[-1] for row in of.values()))
    lines = [header, *(of[name] for name in sorted(of)), ["all", *sums, seeds]]
    return "".join(",".join(line) + "\n" for line in lines)


class _Report:
    """Prints findings as they come, and from time to time how much is done and how long the rest will take."""

    def __init__(self, cases: int) -> None:
        self._cases = cases
        self._first: tuple[float, int] | None = None
        self._next = 0.0

    def __call__(self, ran: Ran, done: int) -> None:
        if ran.outcome.verdict == FINDING:
            print(_line(ran), flush=True)
        now = monotonic()
        start, before = self._first = self._first or (now, done)
        if done > before and now >= self._next:
            self._next = now + _EVERY_S
            pace = (now - start) / (done - before)
            print(
                f"{done:,} of {self._cases:,} cases, about {pace * (self._cases - done) / 60:.0f} min left", flush=True
            )


def _line(ran: Ran) -> str:
    return f"FINDING {ran.number} {ran.target}: {ran.outcome.said}"


def _run_one(case: Case, save: str | None) -> int:
    text = to_text(case)
    print(text if len(text) < 20_000 else f"{text[:20_000]} ...")
    outcome = ran_alone(case)
    print(f"{case.target}: {outcome.verdict} {outcome.said}")
    if save is not None:
        write_text(CORPUS / f"{save}.json", text)
    return int(outcome.verdict == FINDING)


def _repeat_corpus() -> int:
    """Repeat every case of the corpus; one line for each that is a finding."""
    ready(0)
    paths = sorted(CORPUS.glob("*.json"))
    found = {path: ran_alone(from_text(path.read_text(encoding="utf-8"))) for path in paths}
    bad = [f"{path.name}: {outcome.said}" for path, outcome in found.items() if outcome.verdict == FINDING]
    valid = sum(outcome.verdict == VALID for outcome in found.values())
    print("\n".join([*bad, f"corpus: {len(paths)} cases, {valid} valid, {len(bad)} findings"]))
    return int(bool(bad))


if __name__ == "__main__":
    sys.argv[0] = Path(__file__).name
    typer.run(main)
