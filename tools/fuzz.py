"""Odd inputs for every boundary of the artifact: `python -m tools.fuzz --seed 1 --cases 2000`.

A case is determined by seed and number, given the same mirrors. Allowed is a valid result or the documented error. A
traceback, more than 20 s or 1 GiB, or a file touched outside of the folder of outputs is a finding; the exit code is 1
if there is any. `--first` goes on where an earlier campaign stopped. `--save` writes a case to the corpus, whose cases
the tests repeat: replace what it holds of recorded data by made-up values before it is committed.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tests.rarlib.fuzz.campaign import outcomes, ready
from tests.rarlib.fuzz.case import Case, from_text, to_text
from tests.rarlib.fuzz.outcome import FINDING, REFUSED, VALID
from tests.rarlib.fuzz.registry import TARGETS
from tests.rarlib.fuzz.worker import ran_alone

CORPUS = ROOT / "tests" / "rarlib" / "fuzz" / "corpus"
_EVERY = 1_000


def main(
    seed: Annotated[int | None, typer.Option(min=0, help="Seed; by default a new one, which is printed.")] = None,
    cases: Annotated[int, typer.Option(min=1, help="Number of cases.")] = 2_000,
    first: Annotated[int, typer.Option(min=0, help="Number of the first case.")] = 0,
    target: Annotated[list[str] | None, typer.Option(help="Only this target; may be repeated.")] = None,
    only: Annotated[int | None, typer.Option(min=0, help="Run this case of the seed, and show it.")] = None,
    save: Annotated[str | None, typer.Option(help="With --only: also write it to the corpus, under this name.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = os.cpu_count() or 1,
    corpus: Annotated[bool, typer.Option("--corpus", help="Repeat the cases of the corpus instead.")] = False,
) -> None:
    """Run cases and print what each target made of them."""
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    names = sorted({*(target or TARGETS)})
    if unknown := [name for name in names if name not in TARGETS]:
        raise typer.BadParameter(f"no target {unknown[0]!r}; there are {', '.join(sorted(TARGETS))}")
    if corpus:
        raise typer.Exit(_repeat_corpus())
    made = ready(seed, names)
    if only is not None:
        raise typer.Exit(_run_one(made(only), save))
    print(f"fuzz: seed {seed}, {cases:,} cases; python -m tools.fuzz --seed {seed} --only N repeats case N", flush=True)
    counts: Counter[tuple[str, str]] = Counter()
    for done, ran in enumerate(outcomes(made, range(first, first + cases), workers), 1):
        counts[ran.target, ran.outcome.verdict] += 1
        if ran.outcome.verdict == FINDING:
            print(f"FINDING {ran.number} {ran.target}: {ran.outcome.said}", flush=True)
        if done % _EVERY == 0:
            print(f"{done:,} of {cases:,} cases", flush=True)
    for name in names:
        print(f"{name:20}" + "".join(f"{counts[name, verdict]:8,} {verdict}" for verdict in (VALID, REFUSED, FINDING)))
    raise typer.Exit(int(any(verdict == FINDING for _, verdict in counts)))


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
