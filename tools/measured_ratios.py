"""Mean completion times by our simulator over the measured ones, results/expected/measured-ratios.csv.

python -m tools.measured_ratios   # needs the measured files (data/measured.tsv); the runs are the stored ones

Of each goal, the predictor that was named before the first score counts. Sia's testbed is taken from accepted claims.
"""

from pathlib import Path

import pandas as pd

from rarlib.arena.fidelity import OWN_COLUMNS, OWN_RATIOS
from rarlib.evidence.ledger import read_ledger
from rarlib.evidence.measured.goals import read_goals
from rarlib.evidence.measured.ledger import DECLARED
from rarlib.evidence.measured.scores import write_scores
from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import stored_predictions
from rarlib.measured.pollux import OF_POLICIES, RUN_PAIRS, PolluxRuns
from rarlib.measured.predictor import predictors
from rarlib.measured.shockwave import RUN_HERE, ShockwaveRuns
from rarlib.model.errors import InputError
from tools.measured_testbed import PAIRS as SIA_PAIRS

_ROOT = Path(__file__).resolve().parents[1]
RECORD = _ROOT / OWN_RATIOS

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


def main() -> None:
    """Write the table.

    Raises:
        InputError: the measured files are not at hand.
    """
    shockwave, pollux = load_measured("shockwave"), load_measured("pollux")
    if not shockwave or not pollux:
        raise InputError("needs the measured files; set RARLIB_MIRROR", file="data/measured.tsv")
    testbeds = {
        "Shockwave, 32 GPUs": shockwave_ratios(ShockwaveRuns(shockwave)),
        "Pollux, 64 GPUs": pollux_ratios(PolluxRuns(pollux)),
        "Sia, 44 GPUs": sia_ratios(read_ledger(_ROOT / "results" / "expected" / "claims.csv")),
    }
    rows = [(testbed, policy, ratio) for testbed, runs in testbeds.items() for policy, ratio in runs.items()]
    write_scores(pd.DataFrame(rows, columns=list(OWN_COLUMNS)), RECORD)


if __name__ == "__main__":
    main()
