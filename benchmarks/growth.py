"""How cost grows with size: measured, recorded in growth.csv, drawn for the manual.

python benchmarks/growth.py            # measures (about a minute) and draws docs/growth.svg
python benchmarks/growth.py --draw     # draws from the record
"""

import sys
from pathlib import Path

import bench_planning
import bench_simulator
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from rarlib.figures.style import LOOKS, MUTED, digests, look, save, use_style

HERE = Path(__file__).parent
RECORD, PICTURE = HERE / "growth.csv", HERE.parent / "docs" / "growth.svg"


def measure() -> pd.DataFrame:
    """Seconds by what was measured, scheduler and number of jobs."""
    rows: list[tuple[str, str, int, float]] = [("simulate", *row) for row in bench_simulator.growth()]
    for name in filter(LOOKS.__contains__, bench_planning.PLANNERS):  # other readings cost alike
        rows += [("plan", name, 160 * times, seconds) for times, seconds, _ in bench_planning.growth(name)]
    return pd.DataFrame(rows, columns=["what", "scheduler", "jobs", "seconds"])


def draw(record: pd.DataFrame) -> None:
    """Both growth curves, with n log n through the first point of the cheapest."""
    use_style()
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8))
    titles = {"simulate": "Simulating on 640 GPUs", "plan": "Planning, one server per 8 jobs"}
    for ax, (what, title) in zip(axes, titles.items(), strict=True):
        part = record[record["what"] == what]
        for name, rows in part.groupby("scheduler", sort=False):
            style = look(str(name))
            ax.plot(rows["jobs"], rows["seconds"], color=style.colour, marker=style.marker, label=style.label)
        _n_log_n(ax, part)
        ax.set(title=title, xlabel="jobs", ylabel="seconds", xscale="log", yscale="log")
        ax.legend(fontsize=8.5)
    save(figure, PICTURE, PICTURE.with_suffix(".png"), {"title": "Growth of cost", "tables": digests([RECORD])})
    PICTURE.with_suffix(".png").unlink()


def _n_log_n(ax: Axes, part: pd.DataFrame) -> None:
    sizes = np.sort(part["jobs"].unique()).astype(float)
    start = part[part["jobs"] == sizes[0]]["seconds"].min()
    ideal = start * sizes * np.log2(sizes) / (sizes[0] * np.log2(sizes[0]))
    ax.plot(sizes, ideal, color=MUTED, ls="--", lw=1, label="n log n")


def main() -> None:
    """Measure unless told to draw only."""
    if "--draw" not in sys.argv[1:]:
        measure().to_csv(RECORD, index=False, lineterminator="\n", float_format="%.5f")
    draw(pd.read_csv(RECORD))


if __name__ == "__main__":
    main()
