"""Pipeline-parallel jobs beside ring-all-reduce jobs: their speed at every GPU count is what PipeDream's planner finds.

Source: Narayanan et al., SOSP 2019, doi 10.1145/3341301.3359646, by `rarlib.pipeline.planner`; that such jobs grow in
multiples of their pipeline's depth: Jayaram Subramanya et al. (Sia), SOSP 2023, doi 10.1145/3600006.3613175.

A job whose application names a layer profile is pipeline-parallel, rigid or elastic. Its depth is `min_gpus`; GPUs
beyond a multiple of it stay idle, and fewer than it give no progress. With t(n) the time of a minibatch on n GPUs, of
which the planner may leave some idle:

| held GPUs | t(n) |
|---|---|
| n on one server | planned on n GPUs over links inside a server |
| n that no server holds | the faster of n on one level between servers, and whole servers of G on two levels |
| n on several servers that one would hold | as on one, times the worst such slow-down of the job's counts up to G |

The last row is exact for rigid jobs; for elastic ones it never promises too much. A recorded duration is that of the
requested gang where it runs best. Faster GPUs speed up the whole minibatch, transfers included, since a price table
knows one speed per node: exact as long as computing decides. `seconds` plans for a GPU type of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.zoo.models import MODELS, profile


class _Kind(NamedTuple):
    """Jobs that share a curve."""

    application: str
    gpus: int
    min_gpus: int
    max_gpus: int


@dataclass(frozen=True)
class PipelinedCost:
    """Prices of a mix of pipeline-parallel and ring-all-reduce jobs.

    Attributes:
        ring: prices the other jobs; its contention holds for the links that pipelines cross, too.
        inside: bytes per second between GPUs of a server.
        profiles: application -> layer profile; None: our analytic models by name.
        memory: bytes of a GPU; None: no limit.
    """

    name: ClassVar[str] = "pipelined"
    ring: RingCost = field(default_factory=RingCost)
    inside: float = 1e10
    profiles: Mapping[str, LayerGraph] | None = None
    memory: float | None = None

    def seconds(
        self, application: str, gpus: int, servers: int = 1, *, gbps: float = 10.0, speed: float = 1.0
    ) -> float:
        """Time of a minibatch in steady state.

        Args:
            application: names the profile.
            gpus: GPUs in all.
            servers: over how many servers; more than one: `gpus` divided evenly, or one level between servers.
            gbps: capacity of the links between servers.
            speed: speed of the GPUs relative to the profile's; transfers do not gain from it.

        Raises:
            InputError: no profile of that name, or no pipeline on this number of GPUs.
        """
        graph = self._graph(application)
        faster = LayerGraph(
            tuple(x._replace(forward_s=x.forward_s / speed, backward_s=x.backward_s / speed) for x in graph.layers),
            graph.edges,
            graph.minibatch,
        )
        between = gbps * 1e9 / 8.0
        if servers == 1:
            return self._planned(faster, (gpus,), (self.inside,))
        flat = self._planned(faster, (gpus,), (between,))
        if gpus % servers or gpus == servers:
            return flat
        return min(flat, self._planned(faster, (gpus // servers, servers), (self.inside, between)))

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with `work` = recorded duration in seconds.

        Raises:
            InputError: an elastic job whose gang is no multiple of its `min_gpus`, or a gang without a pipeline.
        """
        prices = self.ring.price(jobs, cluster)
        known = MODELS if self.profiles is None else self.profiles
        most = np.minimum(jobs.max_gpus, cluster.total_gpus).tolist()
        kinds = [
            _Kind(row.application, row.gpus, row.min_gpus, most[row.row]) if row.application in known else None
            for row in jobs
        ]
        width = max(prices.speedup.shape[1], max(most) + 1)
        curves = [np.pad(row, (0, width - len(row)), mode="edge") for row in prices.speedup]
        place: dict[_Kind, tuple[int, float]] = {}
        for row, kind in enumerate(kinds):
            if kind is None:
                continue
            if kind not in place:
                slowdown, curve = self._curve(kind, cluster, width)
                # The simulator multiplies by the ring's capacity over the link's, both of which are known here.
                place[kind] = (len(curves), slowdown * float(np.min(cluster.node_gbps)) / self.ring.gbps)
                curves.append(curve)
            prices.curve[row], prices.link_s[row] = place[kind]
            prices.server_s[row] = 0.0
        return prices._replace(speedup=np.array(curves))

    def _curve(self, kind: _Kind, cluster: Cluster, width: int) -> tuple[float, NDArray[np.float64]]:
        """Slow-down of a gang spread without need, and the rate at every count relative to the requested gang."""
        gpus_per_server, gbps = int(cluster.gpus.max()), float(np.min(cluster.node_gbps))
        if kind.gpus % kind.min_gpus:
            raise InputError(
                f"must be a multiple of min_gpus, {kind.min_gpus}, for a pipeline-parallel job, found {kind.gpus}",
                field="gpus",
            )

        @cache
        def at_best(n: int) -> float:
            return self.seconds(kind.application, n, 1 if n <= gpus_per_server else -(-n // gpus_per_server), gbps=gbps)

        counts = range(kind.min_gpus, kind.max_gpus + 1, kind.min_gpus)
        spread = [
            self.seconds(kind.application, n, 2, gbps=gbps) / at_best(n) - 1.0
            for n in counts
            if 1 < n <= gpus_per_server
        ]
        slowdown = max([0.0, *spread])
        curve = np.zeros(width)
        for n in counts:
            needed = 1.0 + slowdown if n > gpus_per_server else 1.0  # it spans servers anyway, and is priced for that
            curve[n : n + kind.min_gpus] = at_best(kind.gpus) / at_best(n) * needed
        return slowdown, curve

    def _graph(self, application: str) -> LayerGraph:
        if self.profiles is not None and application in self.profiles:
            return self.profiles[application]
        if self.profiles is None and application in MODELS:
            return profile(application)
        raise InputError("names no layer profile", file=application, field="application")

    def _planned(self, graph: LayerGraph, machines: tuple[int, ...], bandwidth: tuple[float, ...]) -> float:
        options = Options(memory=self.memory, use_fewer_machines=True)
        return plan_pipeline(graph, machines, bandwidth, options).pipeline_time_s
