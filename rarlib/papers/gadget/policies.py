"""Policies that allocate the workers of a slot: the paper's baselines, with bandwidth reserved as for GADGET.

A policy is called once per slot with the problem of that slot and returns workers by job and server. All policies see
the same instances. FIFO and Tiresias give each job a fixed number of workers, DRF adds workers one at a time; all place
them greedily where a cycle can be formed (`Room`). The paper says no more about them, so:

* FIFO serves jobs in order of arrival, the first job that does not fit blocks all later ones, and a job keeps its
  workers until it ends;
* Tiresias (LAS) starts afresh in every slot: jobs with the fewest worker-slots received come first, and a job that does
  not fit is skipped;
* DRF starts afresh in every slot: the next worker goes to the job with the smallest dominant share of GPUs or of the
  bandwidth of all server links.

The schedulers of Hadoop and Mesos do not revoke what they have allocated; `holds` is that variant of Tiresias and DRF.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.problem import SlotProblem
from rarlib.papers.gadget.room import Room
from rarlib.schedulers.drf import progressive_filling

Policy = Callable[[SlotProblem, NDArray[np.float64]], NDArray[np.int64]]
"""(problem of the slot, worker-slots received so far by row of the problem) -> workers, shape (rows, servers)."""


class Gangs:
    """FIFO and Tiresias-LAS: whole gangs in an order.

    Args:
        least_served: order by worker-slots received (else by arrival).
        head_blocks: no gang overtakes the first one that cannot be placed.
        holds: a gang keeps its workers until the job ends.
    """

    def __init__(self, *, least_served: bool, head_blocks: bool, holds: bool) -> None:
        self._least_served, self._head_blocks, self._holds = least_served, head_blocks, holds
        self._held: dict[int, NDArray[np.int64]] = {}

    def __call__(self, problem: SlotProblem, done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Place gangs in order."""
        room, workers = Room(problem.network), np.zeros((len(problem), problem.network.servers), np.int64)
        held = _keep(problem, self._held, room, workers)
        order = np.lexsort((problem.job, done)) if self._least_served else np.argsort(problem.job)
        for row in order[~held[order]]:
            gang = room.gang(int(problem.largest[row]), float(problem.bandwidth[row]))
            if gang is not None:
                workers[row] = gang
            elif self._head_blocks:
                break
        if self._holds:
            self._held = _placed(problem, workers)
        return workers


class Shares:
    """DRF: progressive filling, one worker at a time.

    Args:
        holds: a job keeps its workers until it ends; only free GPUs are allocated.
    """

    def __init__(self, *, holds: bool) -> None:
        self._holds = holds
        self._held: dict[int, NDArray[np.int64]] = {}
        self._last: tuple[bytes, NDArray[np.int64]] = (b"", np.zeros((0, 0), np.int64))

    def __call__(self, problem: SlotProblem, done: NDArray[np.float64]) -> NDArray[np.int64]:
        """Add workers until no job can get another one; the same jobs with the same limits get the same workers."""
        asked = problem.job.tobytes() + problem.largest.tobytes()
        if asked != self._last[0]:
            self._last = (asked, self._deal(problem))
        return self._last[1]

    def _deal(self, problem: SlotProblem) -> NDArray[np.int64]:
        network = problem.network
        room, workers = Room(network), np.zeros((len(problem), network.servers), np.int64)
        _keep(problem, self._held, room, workers)
        gpus, gbps = network.capacity[:, 0].sum(), network.link_gbps.sum()

        def share(row: int) -> float:
            servers = np.count_nonzero(workers[row])
            reserved = problem.bandwidth[row] * servers if servers > 1 else 0.0
            return float(max(workers[row].sum() / gpus, reserved / gbps))

        def grow(row: int) -> bool:
            if workers[row].sum() >= problem.largest[row]:
                return False
            return room.one_more(workers[row], float(problem.bandwidth[row]))

        progressive_filling(range(len(problem)), share, grow)
        if self._holds:
            self._held = _placed(problem, workers)
        return workers


def _keep(
    problem: SlotProblem, held: dict[int, NDArray[np.int64]], room: Room, workers: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Place the workers that jobs keep, at most as many as each may still have; whether each row keeps any."""
    kept = np.zeros(len(problem), bool)
    for row, job in enumerate(problem.job.tolist()):
        if job in held:
            workers[row] = held[job]
            kept[row] = True
            while workers[row].sum() > problem.largest[row]:
                workers[row, np.flatnonzero(workers[row])[-1]] -= 1
            room.take(workers[row], float(problem.bandwidth[row]))
    return kept


def _placed(problem: SlotProblem, workers: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    return {job: workers[row].copy() for row, job in enumerate(problem.job.tolist()) if workers[row].any()}


def baseline(name: str, *, holds: bool = False) -> Policy:
    """FIFO, DRF or Tiresias (LAS) by name: `fifo`, `drf` or `las`; FIFO always holds."""
    if name == "fifo":
        return Gangs(least_served=False, head_blocks=True, holds=True)
    if name == "las":
        return Gangs(least_served=True, head_blocks=False, holds=holds)
    return Shares(holds=holds)
