"""The shortest schedule found by any means: a yardstick for schedulers, not one of them.

A proven lower bound says how short a schedule cannot be; this schedule shows how short one can be. The optimum lies
between the two.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.prices import iteration_s, refuse_links
from rarlib.model.scheduler import View
from rarlib.model.settings import LENGTH_S, Within, check_settings
from rarlib.schedulers.shared.planning.annealing import DecodingState, anneal, place_gang
from rarlib.schedulers.shared.planning.batch import Batch, duration
from rarlib.schedulers.shared.planning.gpu_state import FINISH, GpuState, idle_gpus
from rarlib.schedulers.shared.planning.planner import Planner
from rarlib.schedulers.shared.planning.queueing import promise
from rarlib.schedulers.shared.planning.search import BatchSchedule, busiest

MOST_LOOKS = 1_200_000_000
"""Limit of one search: gangs times servers times orders tried."""


@dataclass
class BestKnown(Planner):
    """Simulated annealing over list orders, starting with the longest gang first (`planning/annealing.py`).

    Attributes:
        effort: orders tried per waiting gang; 10 to 20 microseconds each for 160 gangs on 20 servers. For large batches
            fewer are tried, so that a search takes a few seconds at most.
        horizon: latest finish allowed; None: no limit.
    """

    name: ClassVar[str] = "best-known"
    label: ClassVar[str] = "Best known"
    paper: ClassVar[str] = ""

    effort: Annotated[int, Within(1, 100_000)] = 2000
    horizon: Annotated[float, LENGTH_S] | None = None

    def __post_init__(self) -> None:
        check_settings(self)

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Anneal, then assign GPUs to the gangs in the best order.

        Raises:
            InputError: if jobs share the links of a fabric: a yardstick must know what schedules cost.
        """
        refuse_links(batch.prices, f"scheduler {self.name}")
        state = idle_gpus(view.cluster.gpus, view.now_s, FINISH, FINISH)
        running = int(batch.running[0])
        for i in range(running):
            promise(state, batch, i, batch.gpus[batch.at[i] : batch.at[i + 1]].copy())
        decoding = _decoding_state(view, batch, state)
        longest_first = running + np.lexsort((-batch.gang[running:], -batch.plain[running:]))
        best = longest_first.copy()
        looks = len(best) * len(view.cluster.gpus)
        steps = min(self.effort * len(best), max(MOST_LOOKS // max(looks, 1), 1))
        draws = view.rng.random((steps, 3))
        _, taken = anneal(decoding, longest_first.copy(), best, draws)
        placed = _placed(batch, state, decoding, best)
        makespan = float(placed.finish.max())
        if makespan > horizon:
            return None
        return BatchSchedule(placed, horizon, 0, makespan, busiest(state, batch), taken + 1, (taken + 1) * len(best))


def _decoding_state(view: View, batch: Batch, state: GpuState) -> DecodingState:
    prices, size = batch.prices, view.cluster.gpus
    begin = np.full((len(size), int(size.max())), np.inf)
    for s, n in enumerate(size):
        begin[s, :n] = np.sort(state.release[state.first[s] : state.first[s + 1]])
    alone = np.full((len(batch.row), len(size)), np.inf)
    spread = np.full((len(batch.row), len(size) + 1), np.inf)
    spread[:, :2] = 0.0
    link = max(float(prices.node_link.max()), float(prices.rack_link.max()) if len(prices.rack_link) > 1 else 0.0)
    for i in range(len(batch.row)):
        by_speed = {v: duration(prices, i, iteration_s(prices, i, 1, 1) / v) for v in set(prices.node_speed)}
        fits = size >= batch.gang[i]
        alone[i, fits] = [by_speed[v] for v in prices.node_speed[fits]]
        for n in range(2, min(len(size), int(batch.gang[i])) + 1):
            spread[i, n] = duration(prices, i, iteration_s(prices, i, n, 1, link) / prices.node_speed.min())
    area = float((batch.gang * batch.plain).sum()) / int(size.sum())
    floor = max(area, float((view.now_s + batch.plain[int(batch.running[0]) :]).max(initial=0.0)))
    return DecodingState(batch.gang, alone, spread, size, begin, begin.copy(), np.zeros(len(size), np.int64), floor)


def _placed(batch: Batch, state: GpuState, decoding: DecodingState, order: NDArray[np.int64]) -> Batch:
    """The batch in the order found; every gang gets the GPUs of its servers that become free first."""
    running = int(batch.running[0])
    ranks = np.concatenate([np.arange(running), order])
    names = ("row", "gang", "estimate", "plain", "start", "finish")
    columns = {name: getattr(batch, name)[ranks] for name in names}
    at = np.concatenate([[0], np.cumsum(batch.gang[ranks])])
    held = np.concatenate([batch.gpus[batch.at[i] : batch.at[i + 1]] for i in ranks])
    placed = batch._replace(**columns, prices=batch.prices.take(ranks), at=at, gpus=held)
    decoding.level[:] = decoding.begin
    for i in range(running, len(ranks)):
        place_gang(decoding, int(ranks[i]))
        gpus = []
        for s in np.flatnonzero(decoding.counts):
            own = np.arange(state.first[s], state.first[s + 1])
            gpus.append(own[np.argsort(state.release[own], kind="stable")[: decoding.counts[s]]])
        promise(state, placed, i, np.sort(np.concatenate(gpus)))
    return placed
