"""Phase events a second of the exact mode, case by case: `python benchmarks/fabric_events.py` (some minutes).

16 jobs on one link, and on 32 random fabrics (`rarlib.fabric.drawn`). Seconds are of the processor, the least of two
runs; they go into fabric_events.csv. An event is the end of computing or of sending of a job; the rates also change
whenever one flow of several ends, so cases with many flows have more changes than events.
"""

import time
from pathlib import Path

import pandas as pd

from rarlib.fabric.case import flow_table, run_case
from rarlib.fabric.drawn import fabric_case, one_link_case

RECORD = Path(__file__).parent / "fabric_events.csv"
JOBS, ITERATIONS, FABRICS, RUNS, DUTIES = 16, 3_000, 32, 2, (0.1, 0.8)


def main() -> None:
    """Measure, and write the record."""
    cases = [one_link_case(0, 0, JOBS, DUTIES), *(fabric_case(0, number, JOBS, DUTIES) for number in range(FABRICS))]
    run_case(cases[0]._replace(jobs=[job._replace(iterations=5) for job in cases[0].jobs]))  # compiles
    rows = []
    for case in cases:
        longer, table = case._replace(jobs=[job._replace(iterations=ITERATIONS) for job in case.jobs]), flow_table(case)
        least, events = float("inf"), 0
        for _ in range(RUNS):
            begin = time.process_time()
            events = run_case(longer).events
            least = min(least, time.process_time() - begin)
        rows.append((case.id, len(table.capacity), len(table.size), events, round(events / least)))
        print(*rows[-1], flush=True)  # noqa: T201
    columns = ["case", "links", "flows", "events", "events_per_s"]
    pd.DataFrame(rows, columns=columns).to_csv(RECORD, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
