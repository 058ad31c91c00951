"""How fast PipeDream's planner is.

    python -m pytest benchmarks/bench_planner.py --benchmark-only
    python benchmarks/bench_planner.py            # the curve over states and machines: planner.csv, docs/planner.svg
    python benchmarks/bench_planner.py --draw     # draws from the record

The analytic profiles have the states of the measured ones: 40 (VGG-16), 99 (GNMT-8), 238 (ResNet-50, measured 240),
1495 (GNMT-16). Stated limits: one level 0.1 s, ResNet-50 on 8x2 0.5 s, GNMT-16 on 4x4 5 s; the authors' optimizer takes
0.1 to 7 s, 78 s, and more than 17 minutes.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rarlib.model.seeds import stream
from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.planner import PLANNER_VARIANTS, Options, plan_pipeline
from rarlib.pipeline.zoo.models import profile
from rarlib.plot.style import digests, save, use_style

HERE = Path(__file__).parent
RECORD, PICTURE = HERE / "planner.csv", HERE.parent / "docs" / "planner.svg"
HIERARCHIES = {"16": ((16,), (1.25e9,)), "8x2": ((8, 2), (2.5e10, 3.125e9)), "4x4": ((4, 4), (1e10, 1.25e9))}
STATES = (32, 64, 128, 256, 512, 1024, 2048)
MACHINES = (2, 4, 8, 16, 32, 64)
COLOURS = ("#0072b2", "#d55e00", "#009e73")


def chain(layers: int) -> LayerGraph:
    """A random chain: one state per layer."""
    costs = stream(0, "planner", layers).lognormal(0.0, 1.0, (layers, 3))
    return LayerGraph.chain(
        Layer(f"l{at}", "", 1e-3 * f, 2e-3 * f, 1e6 * a, 1e6 * w) for at, (f, a, w) in enumerate(costs.tolist())
    )


@pytest.mark.parametrize("hierarchy", HIERARCHIES)
@pytest.mark.parametrize("model", ["vgg16", "gnmt", "resnet50", "gnmt_large"])
@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
def test_plan(benchmark, variant, model, hierarchy):
    benchmark.group = f"plan on {hierarchy}"
    graph, options = profile(model), Options(variant=variant, compression=1.0)
    benchmark.pedantic(plan_pipeline, (graph, *HIERARCHIES[hierarchy], options), rounds=3, warmup_rounds=1)


def seconds(graph: LayerGraph, machines: tuple[int, ...], bandwidth: tuple[float, ...]) -> float:
    """The best of three."""
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        plan_pipeline(graph, machines, bandwidth, Options(max_states=10_000))
        taken.append(time.perf_counter() - begin)
    return min(taken)


def growth() -> Iterator[tuple[str, str, int, float]]:
    """Panel, curve, x and seconds."""
    for name, hierarchy in HIERARCHIES.items():
        for states in STATES:
            yield "states", name, states, seconds(chain(states), *hierarchy)
    for states in (64, 256, 1024):
        for machines in MACHINES:
            yield "machines", f"{states} states", machines, seconds(chain(states), (machines,), (1.25e9,))


def draw(record: pd.DataFrame) -> None:
    """Seconds over states, and over machines on one level."""
    use_style()
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), sharey=True)
    titles = {"states": "On 16 GPUs", "machines": "On one level"}
    for ax, (panel, title) in zip(axes, titles.items(), strict=True):
        part = record[record["panel"] == panel]
        for (name, rows), colour, marker in zip(part.groupby("curve", sort=False), COLOURS, "os^", strict=True):
            ax.plot(rows["x"], rows["seconds"], color=colour, marker=marker, label=str(name))
        ax.set(title=title, xlabel=panel, xscale="log", yscale="log")
        ticks = sorted(set(part["x"]))
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        ax.legend(fontsize=8.5)
    axes[0].set(ylabel="seconds")
    save(figure, PICTURE, PICTURE.with_suffix(".png"), {"title": "Cost of planning", "tables": digests([RECORD])})
    PICTURE.with_suffix(".png").unlink()


def main() -> None:
    """Measure unless told to draw only."""
    if "--draw" not in sys.argv[1:]:
        record = pd.DataFrame(growth(), columns=["panel", "curve", "x", "seconds"])
        record.to_csv(RECORD, index=False, lineterminator="\n", float_format="%.5f")
    draw(pd.read_csv(RECORD))


if __name__ == "__main__":
    main()
