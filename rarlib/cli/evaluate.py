"""`rarlib evaluate`: a scheduler in a file, against baselines and bounds."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarlib.cli.text import say

if TYPE_CHECKING:
    from rarlib.evaluation.evaluate import Evaluation


def evaluate(
    file: Annotated[Path, typer.Argument(help="Python file with one class that has a method decide(view).")],
    budget: Annotated[float, typer.Option(help="Seconds for the runs of the policy after the first look.")] = 60.0,
    seeds: Annotated[int, typer.Option(min=1, help="Most seeds of each setting.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score a scheduler in a file, against baselines and the proven bound."""
    from rarlib.cli.working import compiling_note
    from rarlib.evaluation.evaluate import evaluate as evaluate_file

    with compiling_note(quiet=False):
        found = evaluate_file(file, budget_s=budget, seeds=seeds)
    if as_json:
        print(json.dumps(_record(found), indent=2, sort_keys=True))
    else:
        _say(found, seeds)
    if found.failure:
        raise typer.Exit(1)


def _record(found: "Evaluation") -> dict[str, object]:
    tables = {name: json.loads(getattr(found, name).to_json(orient="records")) for name in ("settings", "baselines")}
    score = found.score if found.seeds else None
    return {
        "failure": found.failure,
        "seeds": found.seeds,
        "score": score,
        "first_look_s": found.first_look_s,
        **tables,
    }


def _say(found: "Evaluation", seeds: int) -> None:
    if found.failure:
        say(f"failed: {found.failure}")
    if not found.seeds:
        return
    cut = "" if found.failure or found.seeds == seeds else f", then the budget was over ({seeds} seeds were wanted)"
    say(f"score {found.score:.3f} (the bound over the mean JCT; 1 cannot be beaten), {found.seeds} seeds{cut}", "")
    say("mean JCT over that of each baseline, all settings, with 95 % intervals")
    for row in found.baselines.itertuples():
        interval = f"[{row.low:.3f}, {row.high:.3f}]" if found.seeds > 1 else "(no interval from one seed)"
        say(f"  {row.baseline:14}{row.ratio:7.3f} {interval}")
    say("", "by setting: mean JCT in seconds, over the bound, over each baseline")
    text = found.settings.to_string(index=False, float_format="{:,.3f}".format)
    say(*(f"  {line}" for line in text.splitlines()))
