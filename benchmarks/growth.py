"""How cost grows with size: measured, recorded in growth.csv, drawn for the manual.

python benchmarks/growth.py            # measures (some minutes) and draws docs/growth.svg
python benchmarks/growth.py --draw     # draws from the record
"""

import sys
from pathlib import Path

import bench_bounds
import bench_gadget
import bench_planning
import bench_simulator
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from rarlib.plot.style import LOOKS, MUTED, digests, look, save, use_style

HERE = Path(__file__).parent
RECORD, PICTURE = HERE / "growth.csv", HERE.parent / "docs" / "growth.svg"


def measure() -> pd.DataFrame:
    """Seconds by what was measured, series (scheduler or case) and number of jobs."""
    rows: list[tuple[str, str, int, float]] = [("simulate", *row) for row in bench_simulator.growth()]
    for name in filter(LOOKS.__contains__, bench_planning.PLANNERS):  # other readings cost alike
        rows += [("plan", name, 160 * times, seconds) for times, seconds, _ in bench_planning.growth(name)]
    rows += [("online", *row) for row in bench_gadget.growth()]
    rows += [("bound", *row) for row in bench_bounds.growth()]
    return pd.DataFrame(rows, columns=["what", "series", "jobs", "seconds"])


TITLES = {
    "simulate": "Simulating on 640 GPUs",
    "plan": "Planning, one server per 8 jobs",
    "online": "GADGET, one server per 2 jobs",
    "bound": "Proving bounds, one server per 8 jobs",
}


def draw(record: pd.DataFrame) -> None:
    """All growth curves, with n log n through the first point of the cheapest."""
    use_style()
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 7.4))
    for ax, (what, title) in zip(axes.flat, TITLES.items(), strict=True):
        part = record[record["what"] == what]
        for at, (name, rows) in enumerate(part.groupby("series", sort=False)):
            ax.plot(rows["jobs"], rows["seconds"], **_line(str(name), at))
        _n_log_n(ax, part)
        ax.set(title=title, xlabel="jobs", ylabel="seconds", xscale="log", yscale="log")
        ax.legend(fontsize=8.5)
    save(figure, PICTURE, PICTURE.with_suffix(".png"), {"title": "Growth of cost", "tables": digests([RECORD])})
    PICTURE.with_suffix(".png").unlink()


def _line(name: str, at: int) -> dict[str, str]:
    """A scheduler's look; cases of one method share a colour and differ in marker and line."""
    if name in LOOKS:
        style = look(name)
        return {"color": style.colour, "marker": style.marker, "label": style.label}
    return {
        "color": look("gadget").colour,
        "marker": "op^v"[at % 4],
        "ls": ("-", "--", ":", "-.")[at % 4],
        "label": name,
    }


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
