"""What each part of Concert brings (docs/arena.md).

    python benchmarks/concert.py            # runs everything into concert.csv, then prints the table
    python benchmarks/concert.py --print    # prints it from the record

Windows, clusters and prices are the arena's (`config/config.yaml`), settings those below: contention counts jobs on
servers, at levels of the arena's factor that are not its base.
"""

import sys
from itertools import product
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


def run() -> pd.DataFrame:
    """Mean completion times (h) of all members, by setting and window."""
    config = yaml.safe_load((HERE.parent / "config" / "config.yaml").read_text(encoding="utf-8"))
    data, settings = profile_set("arena", config["profiles"]["arena"]).data, config["experiments"]["arena"]
    arena = ArenaInputs(Profiles.from_json(data["profiles"]), data["traces"])
    clusters, rows = clusters_of(settings["clusters"]), []
    for setting, member, window in product(settings_of_grid(GRID), MEMBERS, settings["windows"]):
        cluster, cost = clusters[setting.cluster], prices_of(setting, arena.profiles)
        workload = workload_of(arena, setting, window, cluster, overload=False)
        scheduler = make_scheduler("concert", MEMBERS[member])
        quantum, forecast = float(getattr(scheduler, "round_s", 0.0)), forecast_of(workload, setting, window)
        rules = {"quantum": quantum, "restart_s": setting.restart_s, "forecast": forecast}
        played = simulate(workload.jobs, cluster, scheduler, cost, **rules)
        head = (member, setting.trace, setting.reading, float(setting.load), window)
        rows.append((*head, "mean_jct", round(float(played.turnaround_s.mean()) / 3600.0, 6)))
    return pd.DataFrame(rows, columns=["scheduler", "setup", "reading", "load", "seed", "metric", "value"])


def main() -> None:
    """Run and print."""
    if "--print" not in sys.argv:
        run().to_csv(RECORD, index=False)
    frame = pd.read_csv(RECORD)
    wide = frame.pivot_table(index=["setup", "reading", "load", "seed"], columns="scheduler", values="value")
    ratio = np.log(wide.div(wide["concert"], axis=0)).drop(columns="concert")
    parts = np.exp(ratio.dropna().groupby(level="setup").mean()).T.round(3)
    parts["worst window"] = np.exp(ratio.dropna().max()).round(3)
    parts["best window"] = np.exp(ratio.dropna().min()).round(3)
    print(parts.to_string())  # noqa: T201


if __name__ == "__main__":
    main()
