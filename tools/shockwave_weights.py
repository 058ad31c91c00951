"""Shockwave's measured run beside ours, by the weight of its regulariser: `python -m tools.shockwave_weights`.

Writes results/expected/shockwave-weights.csv and a section of docs/measured.md; needs the measured files
(data/measured.tsv). Takes two minutes. The table holds relative errors, no measured value.
"""

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import pandas as pd

from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import BY_WORK, policy_outcomes
from rarlib.measured.shockwave import ShockwaveRuns
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from tools.section import Section

TABLE = Path(__file__).resolve().parents[1] / "results" / "expected" / "shockwave-weights.csv"
SECTION = Section("measured.md", "weights", "tools.shockwave_weights")
WEIGHTS = (1e-3, 1e-4, 1e-5, 1e-6, 0.0)
"""Of the longest time left, 1/s; the first is that of the authors' configuration."""
MEAN_WITHIN, LAST_WITHIN = 0.10, 0.07
"""The goal of G7: errors of the mean completion and of the last one."""


def errors_of(case: tuple[float, bool]) -> tuple[float, bool, float, float]:
    """Weight, whether rounds last as long as fitted, and relative errors of mean and last completion."""
    weight, fitted = case
    source = ShockwaveRuns(load_measured("shockwave"))
    found = policy_outcomes(source, "shockwave", "shockwave", {**BY_WORK, "k": weight}, fitted=fitted)
    measured = {row.id: row.completion_s for row in source.outcomes("cluster")}
    mean, last = (found[row] / measured[row] - 1.0 for row in ("shockwave/mean", "shockwave/last"))
    return weight, fitted, mean, last


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns weight, fitted, mean, last.
    """
    lines = [
        "| weight, 1/s | mean completion, rounds of 120 s | last completion | mean completion, fitted rounds "
        "| last completion |",
        "|---" * 5 + "|",
    ]
    for weight, rows in table.groupby("weight", sort=False):
        cells = [f"{value:+.0%}" for value in rows[["mean_error", "last_error"]].to_numpy().ravel().tolist()]
        lines.append(f"| {float(str(weight)):g} | {' | '.join(cells)} |")
    within = table[(table["mean_error"].abs() <= MEAN_WITHIN) & (table["last_error"].abs() <= LAST_WITHIN)]
    rounds = {False: "rounds of 120 s", True: "fitted rounds"}
    met = [f"{row.weight:g} with {rounds[bool(row.fitted)]}" for row in within.itertuples()]
    said = (
        f"Both errors are within the goal at {' and '.join(met)}." if met else "No weight brings both within the goal."
    )
    return "\n".join([*lines, "", said])


def main() -> None:
    """Run, and write the table and the section."""
    if not load_measured("shockwave"):
        raise InputError("the measured files are not at hand; name a folder with them in RARLIB_MIRROR")
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(errors_of, product(WEIGHTS, (False, True))))
    table = pd.DataFrame(rows, columns=["weight", "fitted", "mean_error", "last_error"])
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6g"))
    SECTION.write(render(pd.read_csv(TABLE)))


if __name__ == "__main__":
    main()
