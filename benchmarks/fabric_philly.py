"""What the fast law costs on the whole recorded Philly table: `python benchmarks/fabric_philly.py [SCHEDULER ...]`.

Each scheduler runs the table on 80 servers of 8 GPUs, with contention counted by server (`k+0.3`) and on a leaf-spine
(10 racks, 4 spines, 4:1) under the law, after a short run of each that compiles. Seconds are of the processor, without
reading the table; they go into fabric.csv with the seconds of a fixed computation (`probe_s`).
"""

import sys
import time
from pathlib import Path

import pandas as pd

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.fabric.shapes import leaf_spine
from rarlib.model.cluster import Cluster
from rarlib.simulator.engine import simulate
from rarlib.traces.load import load_trace
from rarlib.workflow.costs import probe_s

RECORD = Path(__file__).parent / "fabric.csv"
RACKS, PER_RACK, SPINES, GBPS, OVER = 10, 8, 4, 10.0, 4.0
SHARE, FEW = 0.3, 500


def main(schedulers: list[str]) -> None:
    """Measure, and write the record."""
    cluster, shape = Cluster.parse("80x8"), leaf_spine(RACKS, PER_RACK, SPINES, GBPS, PER_RACK * GBPS / SPINES / OVER)
    alone = RingCost(alpha=0.3, share=SHARE, gbps=GBPS)
    laws = {"k+0.3": (cluster, alone), "law": (laid_out(cluster, shape), on_fabric(alone, shape))}
    tables = [load_trace("philly-pollux", limit=limit).jobs for limit in (FEW, None)]
    rows = []
    for scheduler in schedulers:
        for law, (where, cost) in laws.items():
            for jobs in tables:
                begin = time.process_time()
                run = simulate(jobs, where, make_scheduler(scheduler, {}), cost)
                seconds = time.process_time() - begin
            delay = float(run.contention_s.sum() / run.turnaround_s.sum())
            rows.append((scheduler, law, len(run.jobs), round(seconds, 1), round(probe_s(), 4), round(delay, 4)))
            print(rows[-1], flush=True)  # noqa: T201
    columns = ["scheduler", "law", "jobs", "cpu_s", "probe_s", "contention_share"]
    pd.DataFrame(rows, columns=columns).to_csv(RECORD, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(sys.argv[1:] or ["fifo", "sjf", "las"])
