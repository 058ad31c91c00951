"""SJF-BCO's candidate plans ranked by the fast law: `python -m tools.fabric_plans` (a minute).

Writes results/expected/fabric-plans.csv and a section of docs/fabric.md.
"""

from pathlib import Path

import pandas as pd

from rarlib.model.files import write_text
from rarlib.papers.sjf_bco.ranked_plans import RANKINGS, RankedRun, ranked_runs
from tools.fabric_premise import DUTIES, OVERSUBSCRIPTIONS, SEEDS, SHARERS
from tools.fabric_schedulers import interval
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "fabric-plans.csv"
SECTION = Section("fabric.md", "plans", "tools.fabric_plans")
OWN, *OTHERS = RANKINGS
_BATCH = ["duty", "sharers", "oversubscription", "seed"]
_ALIKE = 1e-9


def gains(table: pd.DataFrame, grade: str) -> pd.DataFrame:
    """By how many percent a ranking's plan ends sooner than SJF-BCO's own choice, batch by batch.

    Args:
        table: columns of `RankedRun`.
        grade: `law_s` or `flow_s`.
    """
    wide = table.pivot_table(index=_BATCH, columns="ranking", values=grade)
    return (100.0 * (1.0 - wide[OTHERS].div(wide[OWN], axis=0))).reset_index()


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `RankedRun`.
    """
    law, flow = gains(table, "law_s"), gains(table, "flow_s")
    lines = [
        "| over-subscription, sharers \\ duty |" + "".join(f" {duty:g} |" for duty in DUTIES),
        "|---" * (1 + len(DUTIES)) + "|",
    ]
    for over in OVERSUBSCRIPTIONS:
        for sharers in SHARERS:
            cells = [
                flow[(flow["oversubscription"] == over) & (flow["sharers"] == sharers) & (flow["duty"] == duty)]
                for duty in DUTIES
            ]
            told = [" / ".join(f"{cell[each].mean():+.1f}" for each in OTHERS) for cell in cells]
            lines.append(f"| {over:g}:1, {sharers} | " + " | ".join(told) + " |")
    plans = table.loc[table["ranking"] == OWN, "plans"]
    said = [f"{len(flow)} batches, {plans.mean():.1f} plans each on average ({plans.min()} to {plans.max()})."]
    for each in OTHERS:
        mean, half = interval(flow[each].tolist())
        changed = int((law[each].abs() > _ALIKE).sum())
        said.append(
            f"{each.capitalize()}: another makespan in {changed} batches; {mean:+.2f} ± {half:.2f} % over all of "
            f"them phase by phase ({flow[each].min():+.1f} to {flow[each].max():+.1f}), "
            f"{law[each].mean():+.2f} % by the law."
        )
    return "\n".join([*lines, "", " ".join(said), ""])


def main() -> None:
    """Run, and write the table and the section."""
    found = ranked_runs(DUTIES, SHARERS, OVERSUBSCRIPTIONS, SEEDS)
    table = pd.DataFrame(found, columns=RankedRun._fields)
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    SECTION.write(render(pd.read_csv(TABLE)))


if __name__ == "__main__":
    main()
