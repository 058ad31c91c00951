"""What each part of Concert brings (docs/arena.md).

    python benchmarks/concert.py            # runs what concert.csv lacks, then prints the table
    python benchmarks/concert.py --print    # prints it from the record

Windows, clusters and prices are the arena's (`config/config.yaml`), settings those below: contention counts jobs on
servers, at levels of the arena's factor that are not its base.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from artifact.arena.inputs import ArenaInputs, profile_set
from artifact.arena.match import forecast_of, prices_of, workload_of
from artifact.arena.settings import clusters_of, settings_of_grid
from rarlib.cost.goodput.profiles import Profiles
from rarlib.discovery import make_scheduler
from rarlib.simulator.engine import simulate

HERE = Path(__file__).parent
RECORD = HERE / "concert.csv"
GRID: list[dict[str, Any]] = [
    {
        "trace": ["philly-pollux", "sia-philly", "sia-saturn", "aiturbo"],
        "cluster": ["three-types"],
        "load": [0.9],
        "contention": ["k+0.3"],
        "restart": ["profile"],
        "error": [0.3],
        "knowledge": ["known"],
    },
]
MEMBERS: dict[str, dict[str, Any]] = {
    "concert": {},
    "without elasticity": {"elastic": False},
    "without matching": {"matching": False},
    "without predictions": {"predictions": False},
    "without the network": {"network": False},
    "without urgency": {"power": 0.0},
    "shortest first": {"power": 1.0},
    "restarts for free": {"horizon_s": 1e9},
}
"""Parameters of Concert."""


def arena_and_settings() -> tuple[ArenaInputs, Mapping[str, Any]]:
    """The arena of the configuration."""
    config = yaml.safe_load((HERE.parent / "config" / "config.yaml").read_text(encoding="utf-8"))
    data = profile_set("arena", config["profiles"]["arena"]).data
    return ArenaInputs(Profiles.from_json(data["profiles"]), data["traces"]), config["experiments"]["arena"]


def run_missing() -> None:
    """Run what the record lacks; it is written after every setting of a member."""
    done = pd.read_csv(RECORD) if RECORD.exists() else pd.DataFrame(columns=["scheduler", "setup", "reading", "load"])
    known = set(zip(done["scheduler"], done["setup"], done["reading"], done["load"].astype(str), strict=True))
    todo = [
        (m, s)
        for s in settings_of_grid(GRID)
        for m in MEMBERS
        if (m, s.trace, s.reading, str(float(s.load))) not in known
    ]
    if not todo:
        return
    arena, settings = arena_and_settings()
    clusters = clusters_of(settings["clusters"])
    for member, setting in todo:
        rows = []
        for window in settings["windows"]:
            cluster, cost = clusters[setting.cluster], prices_of(setting, arena.profiles)
            workload = workload_of(arena, setting, window, cluster, overload=False)
            scheduler = make_scheduler("concert", MEMBERS[member])
            run = simulate(
                workload.jobs,
                cluster,
                scheduler,
                cost,
                quantum=float(getattr(scheduler, "round_s", 0.0)),
                restart_s=setting.restart_s,
                forecast=forecast_of(workload, setting, window),
            )
            head = (member, setting.trace, setting.reading, float(setting.load), window)
            rows.append((*head, "mean_jct", round(float(run.turnaround_s.mean()) / 3600.0, 6)))
        print(*rows[0][:4], f"{np.mean([row[-1] for row in rows]):.3f} h", flush=True)  # noqa: T201
        new = pd.DataFrame(rows, columns=["scheduler", "setup", "reading", "load", "seed", "metric", "value"])
        done = pd.concat([done, new]) if len(done) else new
        done.to_csv(RECORD, index=False)


def main() -> None:
    """Run and print."""
    if "--print" not in sys.argv:
        run_missing()
    frame = pd.read_csv(RECORD)
    wide = frame.pivot_table(index=["setup", "reading", "load", "seed"], columns="scheduler", values="value")
    ratio = np.log(wide.div(wide["concert"], axis=0)).drop(columns="concert")
    parts = np.exp(ratio.dropna().groupby(level="setup").mean()).T.round(3)
    parts["worst window"] = np.exp(ratio.dropna().max()).round(3)
    parts["best window"] = np.exp(ratio.dropna().min()).round(3)
    print(parts.to_string())  # noqa: T201


if __name__ == "__main__":
    main()
