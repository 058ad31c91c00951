"""Where SJF-BCO's premise holds: `python -m tools.fabric_premise` (some minutes; `--picture`: seconds).

Writes results/expected/fabric-premise.csv, a section of docs/fabric.md and docs/premise.svg; with `--picture` the last
from the accepted table.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rarlib.model.files import write_text
from rarlib.papers.sjf_bco.premise import LAWS, PREMISE_RIVALS, PremiseRun, premise_runs
from rarlib.plot.premise import premise_picture
from rarlib.plot.style import save, use_style
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "fabric-premise.csv"
PICTURE = ROOT / "docs" / "premise.svg"
SECTION = Section("fabric.md", "premise", "tools.fabric_premise")
TITLES = dict(zip(LAWS, ("Counted by server, k", "Fast law", "Phase by phase"), strict=True))
DUTIES, SHARERS, OVERSUBSCRIPTIONS, SEEDS = (0.1, 0.3, 0.5, 0.7, 0.9), (2, 4, 8), (1.0, 4.0), tuple(range(1, 11))
_PROCESSES, _TOLD = 2, 0.01
_CELL = ["duty", "sharers", "oversubscription", "seed"]


def _of_seed(seed: int) -> list[PremiseRun]:
    return list(premise_runs(DUTIES, SHARERS, OVERSUBSCRIPTIONS, (seed,)))


def runs() -> pd.DataFrame:
    """All runs, a row each."""
    with ProcessPoolExecutor(_PROCESSES) as pool:
        found = [run for each in pool.map(_of_seed, SEEDS) for run in each]
    return pd.DataFrame(found, columns=PremiseRun._fields)


def leads(table: pd.DataFrame) -> pd.DataFrame:
    """How much longer each rival's makespan is than SJF-BCO's, on the same batch under the same law.

    Args:
        table: columns of `PremiseRun`.

    Returns:
        Columns law, duty, sharers, oversubscription, seed, and one for each rival.
    """
    wide = table.pivot_table(index=["law", *_CELL], columns="scheduler", values="makespan_s")
    return wide[list(PREMISE_RIVALS)].div(wide["sjf-bco"], axis=0).sub(1.0).reset_index()


def _table(found: pd.DataFrame, over: float) -> str:
    head = "".join(f" {duty:g} |" for duty in DUTIES)
    lines = [f"| sharers, rival \\ duty |{head}", "|---" * (len(DUTIES) + 1) + "|"]
    mine = found[found["oversubscription"] == over]
    for sharers in SHARERS:
        for rival in PREMISE_RIVALS:
            cells = []
            for duty in DUTIES:
                cell = mine[(mine["sharers"] == sharers) & (mine["duty"] == duty)].groupby("law")[rival].mean()
                cells.append(" / ".join(f"{100 * cell[law]:+.0f}" for law in LAWS))
            lines.append(f"| {sharers}, {rival} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `PremiseRun`.
    """
    found = leads(table)
    parts = [f"Over-subscription {over:g}:1:\n\n{_table(found, over)}\n" for over in OVERSUBSCRIPTIONS]
    by_law = {law: found.loc[found["law"] == law, list(PREMISE_RIVALS)].to_numpy(dtype=float) for law in LAWS}
    said = "; ".join(
        f"{rival} " + " / ".join(f"{100 * by_law[law][:, at].mean():+.1f}" for law in LAWS)
        for at, rival in enumerate(PREMISE_RIVALS)
    )
    counted, flow = by_law[LAWS[0]], by_law[LAWS[-1]]
    told = np.abs(counted) > _TOLD
    same = float((counted[told] * flow[told] > 0.0).mean())
    parts.append(
        f"Means over all cells, %: {said}. Where SJF-BCO and a rival differ by more than 1 % under its own law, the "
        f"same one leads phase by phase in {100 * same:.0f} % of {int(told.sum())} pairs.\n"
    )
    return "\n".join(parts)


def draw(table: pd.DataFrame) -> None:
    """Draw the picture.

    Args:
        table: columns of `PremiseRun`.
    """
    mpl.use("agg")
    use_style()
    figure = premise_picture(leads(table), PREMISE_RIVALS, TITLES)
    with TemporaryDirectory() as folder:
        save(figure, PICTURE, Path(folder) / "premise.png", {"title": "Where SJF-BCO's premise holds"})
    plt.close(figure)


def main() -> None:
    """Run, and write the table, the section and the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", action="store_true", help="draw the picture from the accepted table")
    if not parser.parse_args().picture:
        table = runs()
        write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
        SECTION.write(render(table))
    draw(pd.read_csv(TABLE))


if __name__ == "__main__":
    main()
