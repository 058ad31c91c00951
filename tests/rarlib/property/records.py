"""A run of the simulator as the plain records of the checker: columns are copied, nothing is computed from them."""

from math import inf

import numpy as np

from rarlib.simulator.cost_models import LinkedModel, TrainingModel
from tests.rarlib.property.checker import Interval, JobRecord, NodeRecord, RunRecord


def recorded(run, cost=None, *, quantum=0.0, whole_slots=False, in_order=False):
    """The records of a finished run."""
    jobs, cluster, prices = run.jobs, run.cluster, run.prices
    gbps = prices.gbps.tolist() if len(prices.gbps) else [0.0] * len(jobs)
    curves = [None if c < 0 else prices.speedup[c].tolist() for c in prices.curve]
    columns = {
        "submit": jobs.submit_s, "least": jobs.min_gpus, "most": jobs.max_gpus, "launch": prices.launch_s,
        "restart": prices.restart_s, "start": run.start_s, "finish": run.finish_s, "queue": run.queue_s,
        "useful": run.useful_s, "contention": run.contention_s, "overhead": run.overhead_s, "paused": run.restart_s,
        "gpu_seconds": run.gpu_seconds, "restarts": run.restarts, "moves": run.moves, "work": prices.work,
        "done": run.work_done, "base": prices.base_s, "local": prices.local_s, "link": prices.link_s,
        "server": prices.server_s, "cap": prices.cap_s, "unit": prices.unit,
    }  # fmt: skip
    table = [dict(zip(columns, row, strict=True)) for row in zip(*(c.tolist() for c in columns.values()), strict=True)]
    link_gbps = np.broadcast_to(cluster.node_gbps, cluster.nodes).tolist()
    by_node = zip(
        cluster.gpus.tolist(), cluster.gpu_type, cluster.rack.tolist(), prices.node_speed.tolist(),
        prices.node_link.tolist(), link_gbps, strict=True,
    )  # fmt: skip
    return RunRecord(
        jobs=[JobRecord(**row, gbps=g, speedup=c) for row, g, c in zip(table, gbps, curves, strict=True)],
        nodes=[NodeRecord(*node) for node in by_node],
        intervals=_intervals(run),
        busy_area=run.counters["area_busy_gpus"],
        waiting_area=run.counters["area_waiting"],
        system_area=run.counters["area_system"],
        uplinks=prices.rack_link.tolist(),
        uplink_gbps=cluster.rack_gbps.tolist() if len(prices.gbps) else [inf],
        sharing=prices.sharing.tolist(),
        slot=float(prices.slot_s),
        quantum=quantum,
        whole_slots=whole_slots,
        priced=not isinstance(cost, TrainingModel | LinkedModel),
        in_order=in_order,
    )


def _intervals(run):
    """Rows of one job that begin and end together, in ascending nodes, are one interval."""
    found = []
    for job, start, end, node, gpus in zip(
        *(getattr(run, f"alloc_{name}").tolist() for name in ("job", "start", "end", "node", "gpus")), strict=True
    ):
        last = found[-1] if found else None
        if last and (last.job, last.start, last.end) == (job, start, end) and node > max(last.held):
            last.held[node] = gpus
        else:
            found.append(Interval(job, start, end, {node: gpus}))
    return found
