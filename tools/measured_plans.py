"""Does a planner's best plan lie near the fastest measured one? `python -m tools.measured_plans`.

Writes two tables in results/expected and a section of docs/measured.md; needs the measured files (data/measured.tsv).
The tables hold ranks, regrets and relative errors, no measured value.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import binom

from rarlib.measured.inputs import load_measured
from rarlib.measured.planned import (
    FLUSH,
    PIPEDREAM,
    RULE_OF_THUMB,
    FreePlan,
    TaskChoice,
    TaskRanking,
    free_plans,
    task_choices,
    task_rankings,
)
from rarlib.measured.sailor import Sailor
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from tools.section import Section

_EXPECTED = Path(__file__).resolve().parents[1] / "results" / "expected"
FILES = {
    TaskRanking: _EXPECTED / "measured-rankings.csv",
    TaskChoice: _EXPECTED / "measured-choices.csv",
    FreePlan: _EXPECTED / "measured-free-plans.csv",
}
SECTION = Section("measured.md", "planned", "tools.measured_plans")


def tables() -> dict[type, pd.DataFrame]:
    """All three tables, computed.

    Raises:
        InputError: the measured files are not at hand.
    """
    frames = load_measured("sailor")
    if not frames:
        raise InputError("the measured files are not at hand; name a folder with them in RARLIB_MIRROR")
    source = Sailor(frames)
    rows: dict[type, list[Any]]
    rows = {TaskRanking: task_rankings(source), TaskChoice: task_choices(source), FreePlan: free_plans(source)}
    return {kind: pd.DataFrame(found) for kind, found in rows.items()}


def stored() -> dict[type, pd.DataFrame]:
    """The tables as they were written."""
    return {kind: pd.read_csv(file) for kind, file in FILES.items()}


def as_text(table: pd.DataFrame) -> str:
    """A table as CSV."""
    return table.to_csv(index=False, lineterminator="\n", float_format="%.4f")


def render(found: dict[type, pd.DataFrame]) -> str:
    """The section as Markdown.

    Args:
        found: the three tables.
    """
    parts = [_ranking(found[TaskRanking]), _choice(found[TaskChoice]), _free(found[FreePlan])]
    return "\n\n".join(parts) + "\n"


def _ranking(table: pd.DataFrame) -> str:
    lines = ["| predictor | tasks with the fastest first | mean regret | largest regret |", "|---" * 4 + "|"]
    tasks = table["task"].nunique()
    for name, rows in table.groupby("predictor", sort=False):
        known = rows["regret"].dropna()
        missed = f", {len(rows) - len(known)} without a prediction" if len(known) < len(rows) else ""
        lines.append(
            f"| `{name}` | {int((known == 0).sum())} of {tasks}{missed} | {known.mean():.1%} | {known.max():.1%} |"
        )
    flush = table[table["predictor"] == FLUSH]
    lines.append(f"| a plan at random | half of them | {flush['random'].mean():.1%} | |")
    right = int((flush["regret"] == 0).sum())
    pairs = [TaskRanking(*each) for each in flush.to_numpy().tolist()]
    closest = min(pairs, key=lambda pair: abs(pair.gap_predicted))
    thumb = int((table.loc[table["predictor"] == RULE_OF_THUMB, "regret"] == 0).sum())
    said = (
        f"{int(flush['plans'].min())} plans or more were measured for each of {tasks} tasks. `{FLUSH}` puts the "
        f"fastest one first for {right}; guessing between two plans is right as often with a probability of "
        f"{binom.sf(right - 1, tasks, 0.5):.1%}. A rule of thumb, the fewest stages, is right for {thumb}. Some of "
        f"this is luck: for {closest.task}, the plans differ by {closest.gap:.0%}, the model says "
        f"{closest.gap_predicted:.1%}."
    )
    return "\n".join([*lines, "", said])


def _choice(table: pd.DataFrame) -> str:
    lines = [
        "| task | planner | fastest measured | taken | place of the fastest measured | gain by the planner's own price "
        "| taken, any microbatch | place |",
        "|---" * 8 + "|",
    ]
    flush, other = (table[table["planner"] == name] for name in (FLUSH, PIPEDREAM))
    for row in _choices(pd.concat([flush, other]).sort_index()):
        lines.append(
            f"| {row.task} | `{row.planner}` | {row.fastest} | {row.same_taken} | {row.same_place} of {row.same} "
            f"| {row.same_ahead:.0%} | {row.taken} | {row.place} of {row.plans} |"
        )
    said = (
        "2x4 of 8 means two stages, four pipelines, eight samples in a microbatch. Among plans with the same "
        f"microbatch, the fastest measured one is at place {_places(flush)} of `{FLUSH}`, and at place "
        f"{_places(other)} of `{PIPEDREAM}`. What `{FLUSH}` takes has {_stages(flush)}, and should take "
        f"{_less(flush['same_ahead'].min()):.0%} to {_less(flush['same_ahead'].max()):.0%} less time."
    )
    for row in _choices(flush.dropna(subset="twin")):
        said += (
            f" For {row.task} this can be checked: a plan with the same work in each pipeline as {row.same_taken} was "
            f"measured on more nodes. It took {abs(row.twin):.0%} {'less' if row.twin < 0 else 'more'} than the "
            f"fastest measured plan of the task; {_less(row.same_ahead):.0%} less was predicted."
        )
    return "\n".join([*lines, "", said])


def _less(ahead: float) -> float:
    return ahead / (1.0 + ahead)


def _choices(table: pd.DataFrame) -> list[TaskChoice]:
    return [TaskChoice(*each) for each in table.to_numpy().tolist()]


def _places(rows: pd.DataFrame) -> str:
    return ", ".join(str(place) for place in rows["same_place"])


def _stages(rows: pd.DataFrame) -> str:
    taken = rows["same_taken"].str.partition("x")[0].astype(int)
    return "one stage everywhere (data parallelism)" if (taken == 1).all() else f"{taken.min()} to {taken.max()} stages"


def _free(table: pd.DataFrame) -> str:
    lines = [
        "| task | stages of PipeDream's own plan | nodes of a stage | can be run | its memory estimate | that of G3 |",
        "|---" * 6 + "|",
    ]
    for row in (FreePlan(*each) for each in table.to_numpy().tolist()):
        nodes = [int(part) for part in str(row.configuration).split("-")]
        spread = f"{min(nodes)} to {max(nodes)}" if min(nodes) < max(nodes) else f"{nodes[0]}"
        lines.append(
            f"| {row.task} | {len(nodes)} | {spread} | {'yes' if row.runnable else 'no'} "
            f"| {row.memory:+.0%} | {row.memory_flush:+.0%} |"
        )
    said = (
        "Left to itself, at the microbatch of the fastest measured plan, PipeDream's planner takes a plan that whole "
        f"pipelines side by side can run for {int(table['runnable'].sum())} of {len(table)} tasks. The last two "
        "columns are errors of what a GPU holds under the fastest measured plan."
    )
    return "\n".join([*lines, "", said])


def main() -> None:
    """Compute, and write the tables and the section."""
    found = tables()
    for kind, file in FILES.items():
        write_text(file, as_text(found[kind]))
    SECTION.write(render(stored()))


if __name__ == "__main__":
    main()
