"""Small inputs for simulator tests, built by hand so that they do not lean on the cost models under test elsewhere."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from tests.named import Named


def jobs_of(rows: list[tuple[float, int, float]], **columns: Any) -> Jobs:
    """Job table from (submit, gpus, duration) rows."""
    submit, gpus, duration = zip(*rows, strict=True)
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration, **columns)


def table_of(jobs: Jobs, work: Any = None) -> list[tuple[Any, int, Any]]:
    """The same rows for the naive simulator, whole numbers as int."""
    work = jobs.duration_s if work is None else work
    return [(_plain(s), int(g), _plain(w)) for s, g, w in zip(jobs.submit_s, jobs.gpus, work, strict=True)]


def _plain(x: float) -> Any:
    return int(x) if x == int(x) else float(x)


@dataclass
class Cost:
    """A price table written down: columns not named cost nothing."""

    columns: dict[str, Any] = field(default_factory=dict)
    name: ClassVar[str] = "by-hand"

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        n = len(jobs)
        column = {
            "work": jobs.duration_s.copy(),
            "base_s": np.ones(n),
            "local_s": np.zeros(n),
            "link_s": np.zeros(n),
            "server_s": np.zeros(n),
            "cap_s": np.full(n, np.inf),
            "unit": np.ones(n),
            "until": np.full(n, np.inf),
            "launch_s": np.zeros(n),
            "restart_s": np.zeros(n),
            "sharing": np.ones(2),
            "slot_s": 0.0,
            "node_speed": np.ones(cluster.nodes),
            "node_link": np.ones(cluster.nodes),
            "rack": cluster.rack.copy(),
            "rack_link": np.ones(len(cluster.rack_gbps)),
            "curve": np.full(n, -1, np.int64),
            "speedup": np.ones((1, 2)),
        }
        return Prices(**{name: self.columns.get(name, value) for name, value in column.items()})


@dataclass
class Scripted(Named):
    """Says what it was told to say, pass by pass."""

    script: list[list[Any]] = field(default_factory=list)

    def decide(self, view: Any) -> list[Any]:
        return self.script.pop(0) if self.script else []


def intervals(run: Any) -> list[tuple[int, float, float, int, int]]:
    """Allocation rows that last, sorted: (job, start, end, node, gpus)."""
    rows = zip(run.alloc_job, run.alloc_start, run.alloc_end, run.alloc_node, run.alloc_gpus, strict=True)
    return sorted((int(j), float(s), float(e), int(n), int(g)) for j, s, e, n, g in rows if e > s)


def times(run: Any) -> list[tuple[float, float]]:
    """(start, finish) of each job."""
    return list(zip(run.start_s.tolist(), run.finish_s.tolist(), strict=True))
