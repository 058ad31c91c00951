"""Communication policies under schedulers of elastic jobs, on windows of the arena: `python -m tools.fabric_goodput`.

Sia and Concert ask for the goodput of jobs, which only jobs with applications have. Of each window the first `JOBS`
jobs are run. Writes results/expected/fabric-goodput.csv and a section of docs/fabric.md. Takes some minutes.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd
import yaml

from rarlib.arena.in_situ import RACKED, in_situ_shape
from rarlib.arena.inputs import ArenaInputs, profile_set
from rarlib.arena.match import forecast_of, play_match, prices_of, workload_of
from rarlib.arena.settings import Setting, clusters_of
from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_policy
from rarlib.model.files import write_text
from tools.fabric_schedulers import POLICIES, interval
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "fabric-goodput.csv"
SECTION = Section("fabric.md", "goodput", "tools.fabric_goodput")
SCHEDULERS = ("sia", "concert", "drf")
JOBS = 24
CLUSTER, FAIR, LAW = "homogeneous", "fair sharing", "fast law"


class GoodputRun(NamedTuple):
    """A scheduler on one window under one policy; `policy` is `LAW` for the fast law, which knows no policies.

    Attributes:
        trace: family of windows.
        window: number of the window.
        standin: whether its jobs were drawn, as on a machine without the recorded trace.
        scheduler: its name.
        policy: a key of `POLICIES`, or the fast law.
        mean_jct_s: mean completion time.
        contention_s: mean contention.
    """

    trace: str
    window: int
    standin: bool
    scheduler: str
    policy: str
    mean_jct_s: float
    contention_s: float


def runs(
    arena: ArenaInputs,
    section: dict[str, Any],
    windows: Sequence[tuple[str, int]],
    schedulers: Sequence[str] = SCHEDULERS,
) -> Iterator[GoodputRun]:
    """All runs at the arena's base setting, on two racks below four spines, over-subscribed 4:1.

    Args:
        arena: profiles and windows.
        section: the arena's section of the configuration.
        windows: family and number of each.
        schedulers: names.
    """
    cluster = clusters_of(section["clusters"])[CLUSTER]
    shape = in_situ_shape(cluster, RACKED)
    racked = laid_out(cluster, shape)
    for trace, window in windows:
        setting = Setting(trace, CLUSTER, str(section["load"]), "k", section["restart"], str(section["error"]))
        given = workload_of(arena, setting, window, cluster, overload=True)
        alone, standin = prices_of(setting, arena.profiles), bool(arena.traces[trace]["standin"])
        costs = {LAW: on_fabric(alone, shape)}
        for policy, (name, params) in POLICIES.items():
            costs[policy] = on_fabric(alone, shape, grade="flow", policy=make_policy(name, params))
        for who in schedulers:
            for policy, cost in costs.items():
                predicted = forecast_of(given, setting, window)
                run = play_match(who, given, predicted, cost, racked, setting)[0]
                means = float(run.turnaround_s.mean()), float(run.contention_s.mean())
                yield GoodputRun(trace, window, standin, who, policy, *means)


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `GoodputRun`.
    """
    compared = [LAW, *(policy for policy in POLICIES if policy != FAIR)]
    lines = [
        "| scheduler | fair sharing, s | contention, s | " + " | ".join(f"{each}, %" for each in compared) + " |",
        "|---" * (3 + len(compared)) + "|",
    ]
    for scheduler in SCHEDULERS:
        mine = table[table["scheduler"] == scheduler]
        jct, waits = (
            mine.pivot_table(index=["trace", "window"], columns="policy", values=value)
            for value in ("mean_jct_s", "contention_s")
        )
        cells = [_cell(jct, waits, each) for each in compared]
        means = f"{jct[FAIR].mean():.0f} | {waits[FAIR].mean():.1f}"
        lines.append(f"| {scheduler} | {means} | " + " | ".join(cells) + " |")
    windows = len(table[["trace", "window"]].drop_duplicates())
    said = f"{windows} windows, of each the first {JOBS} jobs; in brackets the mean contention under the policy, s."
    standins = sorted(set(table.loc[table["standin"], "trace"]))
    if standins:
        said += f" Stand-ins: {', '.join(standins)}."
    return "\n".join([said, "", *lines, ""])


def _cell(jct: pd.DataFrame, waits: pd.DataFrame, policy: str) -> str:
    mean, half = interval((100.0 * (jct[policy] / jct[FAIR] - 1.0)).tolist())
    return f"{mean:+.1f} ± {half:.1f} ({waits[policy].mean():.1f})"


def main() -> None:
    """Run, and write the table and the section."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    section = config["experiments"]["arena"]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "arena.json"
        write_text(file, json.dumps(profile_set("arena", config["profiles"]["arena"]).data))
        arena = ArenaInputs.read(file).cut(JOBS)
    windows = [(trace, window) for trace in section["traces"] for window in section["windows"]]
    found = []
    for each in runs(arena, section, windows):
        found.append(each)
        print(*each, flush=True)
    table = pd.DataFrame(found, columns=GoodputRun._fields)
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    SECTION.write(render(pd.read_csv(TABLE)))


if __name__ == "__main__":
    main()
