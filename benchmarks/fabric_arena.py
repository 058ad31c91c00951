"""What the fast law costs in the arena: `python benchmarks/fabric_arena.py [SCHEDULER ...]` (some minutes).

Each scheduler plays the windows of the default arena at its base setting, under the fast law and with heads
counted on servers (`k+0.3`), one after the other in the same process. Seconds are of the processor, the least of three
runs where they are short, after a run of each that compiles. They go into fabric_arena.csv: a row for each window.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import yaml

from rarlib.arena.inputs import ArenaInputs, profile_set
from rarlib.arena.match import forecast_of, play_match, workload_of
from rarlib.arena.settings import LINKS, Setting, chosen, clusters_of, settings_of_choice
from rarlib.workflow.members import members

HERE = Path(__file__).parent
RECORD = HERE / "fabric_arena.csv"
COUNTED, SHORT_S, RUNS = "k+0.3", 2.0, 3
COLUMNS = ["scheduler", "trace", "window", "counted_s", "law_s", "ratio"]


def arena() -> tuple[dict, ArenaInputs]:
    """The arena's section of the configuration, and its inputs."""
    config = yaml.safe_load((HERE.parent / "config" / "config.yaml").read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "arena.json"
        file.write_text(json.dumps(profile_set("arena", config["profiles"]["arena"]).data), encoding="utf-8")
        return config["experiments"]["arena"], ArenaInputs.read(file).cut(None)


def seconds(member: str, inputs: ArenaInputs, section: dict, setting: Setting, window: int) -> float:
    """Processor time of one window, without reading it."""
    cluster, cost = clusters_of(section["clusters"])[setting.cluster], inputs.prices(setting.network)
    workload = workload_of(inputs, setting, window, cluster, overload=section["overload"])
    least = float("inf")
    for _ in range(RUNS):
        begin = time.process_time()
        play_match(member, workload, forecast_of(workload, setting, window), cost, cluster, setting)
        least = min(least, time.process_time() - begin)
        if least > SHORT_S:
            break
    return least


def main(schedulers: list[str]) -> None:
    """Measure, and write the record."""
    section, inputs = arena()
    grid = settings_of_choice(section)
    base = [setting for setting in grid if setting[1:] == grid[0][1:]]
    rows = []
    for member in schedulers or [name for name in members(section, "runs") if name != "bounds"]:
        found = list(chosen(member, base, section["windows"], section["few"]))
        for setting, window in found[:1] + found:  # the first run compiles
            counted, law = (
                seconds(member, inputs, section, setting._replace(contention=contention), window)
                for contention in (COUNTED, LINKS)
            )
            rows.append((member, setting.trace, window, round(counted, 4), round(law, 4), round(law / counted, 2)))
            print(*rows[-1], flush=True)  # noqa: T201
        del rows[-len(found) - 1]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(RECORD, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
