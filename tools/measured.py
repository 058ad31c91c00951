"""The sections of docs/measured.md, and our mean completion times over the measured ones.

python -m tools.measured   # with the measured files (data/measured.tsv), also results/expected/measured-ratios.csv

Of each goal, the predictor that was named before the first score counts. Sia's testbed is taken from accepted claims.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from artifact.ledger.ledger import read_ledger
from artifact.ledger.measured.goals import read_goals
from artifact.ledger.measured.ledger import DECLARED, measured_ledger
from artifact.ledger.measured.scores import write_scores
from artifact.machines.inputs import load_measured
from artifact.machines.policy_runs import stored_predictions
from artifact.machines.pollux import OF_POLICIES, RUN_PAIRS, PolluxRuns
from artifact.machines.predictor import predictors
from artifact.machines.shockwave import RUN_HERE, ShockwaveRuns
from rarlib.comparison.fidelity import SIMULATED_OVER_MEASURED
from rarlib.records.columns import read_columns
from tools.section import Section

_ROOT = Path(__file__).resolve().parents[1]
RATIOS = _ROOT / "results" / "expected" / "measured-ratios.csv"
"""Mean completion time by our simulator over the measured one, by testbed and policy."""

_COLUMNS: dict[str, type] = {"testbed": str, "policy": str, "ratio": float}
VERDICTS = Section("measured.md", "verdicts", "tools.measured")
TESTBEDS = Section("measured.md", "testbeds", "tools.measured")

SIA_PAIRS = {"Pollux": ("sia-289", "sia-290"), "Sia": ("sia-291", "sia-292"), "Gavel": ("sia-293", "sia-294")}
"""Policy -> claims of the mean completion that its authors simulated, and that they measured."""

_NAMES = {
    "max-min": "max-min fairness",
    "finish-time": "finish-time fairness",
    "max-sum": "max-sum throughput",
    "shockwave": "Shockwave",
    "pollux": "Pollux",
    "optimus": "Optimus",
    "tiresias": "Tiresias",
    "optimus-realistic": "Optimus, untuned jobs",
    "tiresias-realistic": "Tiresias, untuned jobs",
}


def shockwave_ratios(source: ShockwaveRuns) -> dict[str, float]:
    """Our mean completion over the measured one by policy, in the headline of G7."""
    headline = read_goals(_ROOT / DECLARED)["G7"].headline
    (made,) = (each for each in predictors() if (each.name, each.quantity) == (headline, "run"))
    found = made.predict(source)
    rows = {row.id: row.completion_s for row in source.outcomes("cluster")}
    return {_NAMES[run]: found[f"{run}/mean"] / rows[f"{run}/mean"] for run in RUN_HERE.values()}


def pollux_ratios(source: PolluxRuns) -> dict[str, float]:
    """The same for the runs that differ in policy, in the headline of G8."""
    found = stored_predictions(read_goals(_ROOT / DECLARED)["G8"].headline)
    rows = {row.id: row.hours for row in source.measured}
    runs = dict.fromkeys(run for pair, group in RUN_PAIRS.items() if group == OF_POLICIES for run in pair)
    return {_NAMES[run]: found[f"{run}/mean"] / rows[f"{run}/mean"] for run in runs}


def sia_ratios(ledger: pd.DataFrame) -> dict[str, float]:
    """The same for Sia's testbed.

    Args:
        ledger: accepted claims.
    """
    rows = ledger.set_index("published")
    return {
        policy: float(rows["ours"][simulated]) / float(rows["value"][measured])
        for policy, (simulated, measured) in SIA_PAIRS.items()
    }


def own_ratios() -> dict[str, dict[str, float]]:
    """Ratios of `RATIOS` by testbed and policy."""
    found: dict[str, dict[str, float]] = {}
    for row in read_columns(RATIOS, _COLUMNS).to_dict("records"):
        found.setdefault(row["testbed"], {})[row["policy"]] = float(row["ratio"])
    return found


def verdicts(goals: pd.DataFrame) -> str:
    """A line for each goal as Markdown.

    Args:
        goals: accepted verdicts of the measured ledger.
    """
    lines = ["| goal | error, interval and bias | expected beforehand | verdict |", "|---" * 4 + "|"]
    for row in goals.itertuples():
        lines.append(f"| {row.goal}: {row.title} | {row.reached} | {row.expected} | {row.verdict} |")
    return "\n".join(lines)


def testbeds(own: Mapping[str, Mapping[str, float]]) -> str:
    """Errors of mean completion times by testbed and policy as Markdown.

    Args:
        own: our simulated over measured values, by testbed and policy.
    """
    lines = ["| testbed | policy: the authors' simulator, ours |", "|---" * 2 + "|"]
    for testbed, authors in SIMULATED_OVER_MEASURED.items():
        errors = [
            f"{policy} {_off(authors.get(policy))}, {_off(own[testbed].get(policy))}"
            for policy in dict.fromkeys([*authors, *own[testbed]])
        ]
        lines.append(f"| {testbed} | {'; '.join(errors)} |")
    return "\n".join(lines)


def _off(ratio: float | None) -> str:
    return "(not run)" if ratio is None else f"{ratio - 1:+.1%}"


def main() -> None:
    """Write the table, where the measured files are at hand, and the sections."""
    shockwave, pollux = load_measured("shockwave"), load_measured("pollux")
    if shockwave and pollux:
        made = {
            "Shockwave, 32 GPUs": shockwave_ratios(ShockwaveRuns(shockwave)),
            "Pollux, 64 GPUs": pollux_ratios(PolluxRuns(pollux)),
            "Sia, 44 GPUs": sia_ratios(read_ledger(_ROOT / "results" / "expected" / "claims.csv")),
        }
        rows = [(testbed, policy, ratio) for testbed, runs in made.items() for policy, ratio in runs.items()]
        write_scores(pd.DataFrame(rows, columns=list(_COLUMNS)), RATIOS)
    VERDICTS.write(verdicts(measured_ledger(_ROOT, {}).goals))
    TESTBEDS.write(testbeds(own_ratios()))


if __name__ == "__main__":
    main()
