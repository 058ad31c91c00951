"""Concert: one integer program matches jobs to GPU types, sizes and racks by the waiting time that each choice saves.

Our own scheduler; it combines ideas of the following ones.

- Sia (Jayaram Subramanya et al., SOSP 2023): one integer program matches jobs to GPU types and counts; sizes that
  always pack (`rarlib.ilp.sia`, `rarlib.allocate.nodes`).
- SJF-BCO (Yu et al., MobiHoc 2022): communication and overhead of a gang that spans servers are weighed against its
  size; spanning gangs never share a server, so that there is no contention.
- GADGET (Yu et al., INFOCOM 2022): rings stay on fast links: no ring crosses a rack's uplink if that is slower than the
  servers' links.
- AITurbo (Zhao et al., HPDC 2021): service left is one measure for predictable and unpredictable jobs.
- Shortest remaining service first, which lowers the mean JCT.

What is new is the objective, which expresses all of these as one number per choice and charges a move what it costs.

| symbol | here | unit |
|---|---|---|
| w_i | `left`: work left, as predicted | work |
| r_ij | `rate`: of job i with choice j, delays of the network included | work/s |
| g_j | `gpus` | GPUs |
| e_i | `each`: the largest r_ij / g_j | work/GPU s |
| s_i | `service`: w_i / e_i; of an unpredictable job `newcomer_gpu_s` + the GPU-seconds it has had | GPU s |
| d_ij | `_delay`: seconds to start or restart | s |
| T_i, N_i | age, restarts so far | s, 1 |
| H_i | `_horizon`: how long a choice is expected to last, min(H, (H + T_i) / (1 + N_i)) with H = `horizon_s` | s |
| a | `power` | 1 |

    maximise   sum_ij X_ij v_ij - (restarts of running jobs left out)
    v_ij = s_i^(-a) (r_ij / e_i) t_ij / (t_ij + d_ij),   t_ij = min(w_i / r_ij, H_i)
    subject to at most one choice per job, and the GPUs of every pool (type, or type and rack)

r_ij / e_i is the speed of a choice, expressed as a number of GPUs at the job's best efficiency. With a = 1 and d = 0,
v_ij is one over the time to completion; with a = 0 the sum is throughput. t / (t + d) is the fraction of the next
period in which the job makes progress, so a move must gain more than it costs. For the choice that a job holds, d is
the rest of its restart; for a slower choice it is twice a restart, since the job will want to move back. A running job
that is left out is charged its restart, spread over H_i: the mean length of a job's periods so far, with H counted as
one more period. The service left of an unpredictable job is estimated as the mean residual life of a Pareto tail of
index 2. The program minimises the total loss, where a job's loss is the value of its best choice less that of the
choice it gets.

A pass estimates the values, solves the program (to the optimum or within 1e-4 of it: `rarlib.ilp.sia.decide`) and
places the gangs, where unchanged gangs stay. Passes happen when jobs arrive or end, and every `wake_s` seconds in
between.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.nodes import anywhere, arrange
from rarlib.allocate.present import exchange
from rarlib.ilp.sia.decide import Decider
from rarlib.ilp.sia.problem import RoundProblem
from rarlib.model.decisions import Decision, Placement, Wake
from rarlib.model.scheduler import View
from rarlib.model.settings import GPU_SECONDS, INTERVAL, LENGTH_S, Within, check_settings
from rarlib.schedulers.concert_parts.choices import ConcertChoices

STEPS = 10_000.0
"""Values are rounded to multiples of this fraction of the largest one."""


class _Gang(NamedTuple):
    """What a job holds: its column, its placement, and when it is ready to make progress."""

    column: int
    placement: Placement
    ready_s: float


@dataclass
class Concert:
    """Contention-aware matching of elastic jobs by service left.

    Attributes:
        power: a, at least 0: how strongly less service left makes a job more urgent.
        horizon_s: H; the longer it is, the less a move costs in the objective.
        newcomer_gpu_s: estimated service of an unpredictable job that has had none yet, GPU-seconds.
        wake_s: seconds until the next pass if nothing happens.
        predictions: whether to use predictions of work left; if not, all jobs are unpredictable.
        matching: whether to distinguish GPU types.
        elastic: whether jobs may get other sizes than requested; if not, they get the largest choice up to the
            requested size.
        network: whether to consider links, servers and racks; if not, gangs take any free GPUs.
    """

    name: ClassVar[str] = "concert"
    label: ClassVar[str] = "Concert"
    paper: ClassVar[str] = ""
    one_type: ClassVar[str] = "fewest"
    learning: ClassVar[str] = "by-type"

    power: Annotated[float, Within(0.0, 10.0)] = 0.3
    horizon_s: Annotated[float, LENGTH_S] = 900.0
    newcomer_gpu_s: Annotated[float, GPU_SECONDS] = 300.0
    wake_s: Annotated[float, INTERVAL] = 300.0
    predictions: bool = True
    matching: bool = True
    elastic: bool = True
    network: bool = True
    _choices: ConcertChoices | None = field(default=None, init=False, repr=False)
    _decider: Decider = field(default_factory=Decider, init=False, repr=False)
    _held: dict[int, _Gang] = field(default_factory=dict, init=False, repr=False)
    _begun: set[int] = field(default_factory=set, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)

    def decide(self, view: View) -> Iterable[Decision]:
        """One pass over all jobs in the system."""
        if self._choices is None:
            self._choices = ConcertChoices.of(view, self.name, by_rack=self.network)
        rows = np.union1d(view.running_rows, view.waiting_rows)
        if not len(rows):
            return
        running = set(view.running_rows.tolist())
        self._held = {row: gang for row, gang in self._held.items() if row in running}
        problem = self._problem(self._choices, view, rows)
        column = self._decider.decide(problem).column
        if not np.array_equal(column, problem.current):  # otherwise all stay where they are
            chosen = dict(zip(rows.tolist(), column.tolist(), strict=True))
            yield from self._carry_out(self._choices, view, problem.gpus, chosen)
        yield Wake(view.now_s + self.wake_s)

    def _problem(self, choices: ConcertChoices, view: View, rows: NDArray[np.int64]) -> RoundProblem:
        gpus = choices.sizes(view, rows)
        rate = choices.rates(view, rows, gpus)
        if self.network:
            rate = rate / choices.delay(view, rows, gpus)
        if not self.matching:
            rate = _as_on_average(rate, gpus, choices.kind[choices.pool])
        if not self.elastic:
            rate = np.where(gpus == self._requested(view, rows, gpus), rate, 0.0)
        gpus = np.where(rate > 0.0, gpus, 0)
        each = (rate / np.maximum(gpus, 1)).max(axis=1)
        current = np.array([self._held[row].column if row in self._held else -1 for row in rows.tolist()])
        service = self._service(view, rows, each)
        worth = rate * (service**-self.power / each)[:, None]
        horizon = self._horizon(view, rows, choices.restarts.restarts[rows])
        lost = np.zeros(len(rows))
        stay = np.flatnonzero(current >= 0)
        lost[stay] = worth[stay, current[stay]] * view.prices.restart_s[rows[stay]] / horizon[stay]
        spell = np.minimum((service * each)[:, None] / np.maximum(rate, 1e-12), horizon[:, None])
        worth *= spell / (spell + self._delay(view, rows, rate, current))
        step = max(float(worth.max()), 1e-300) / STEPS
        value = np.maximum(np.rint(worth / step), 1.0).astype(np.int64) * (gpus > 0)
        best = value.max(axis=1)
        skip = best + np.rint(lost / step).astype(np.int64)
        return RoundProblem(best[:, None] - value, gpus, choices.pool, choices.pools.capacity, skip, current)

    def _service(self, view: View, rows: NDArray[np.int64], each: NDArray[np.float64]) -> NDArray[np.float64]:
        """s_i, GPU-seconds at the job's best efficiency, shape (rows,)."""
        service = np.maximum(view.work_left(rows) / each, 1e-3)
        blind = np.flatnonzero(~view.predictable[rows] | (not self.predictions))
        service[blind] = self.newcomer_gpu_s + view.attained_gpu_s(rows[blind])
        return np.asarray(service)

    def _horizon(self, view: View, rows: NDArray[np.int64], restarts: NDArray[np.int64]) -> NDArray[np.float64]:
        """H_i, shape (rows,)."""
        age = view.now_s - np.array([view.job(row).submit_s for row in rows.tolist()])
        return np.asarray(np.minimum(self.horizon_s, (self.horizon_s + age) / (1 + restarts)))

    def _start_s(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Seconds that a start would take now, shape (rows,)."""
        begun = np.array([row in self._begun for row in rows.tolist()])
        return np.where(begun, view.prices.restart_s[rows], view.prices.launch_s[rows])

    def _delay(
        self, view: View, rows: NDArray[np.int64], rate: NDArray[np.float64], current: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """d_ij, shape (rows, columns)."""
        restart = view.prices.restart_s[rows]
        delay = np.repeat(self._start_s(view, rows)[:, None], rate.shape[1], axis=1)
        stay = np.flatnonzero(current >= 0)
        own, ready_s = current[stay], np.array([self._held[row].ready_s for row in rows[stay].tolist()])
        delay[stay] += np.where(rate[stay] < rate[stay, own][:, None], restart[stay][:, None], 0.0)
        delay[stay, own] = np.maximum(ready_s - view.now_s, 0.0)
        return delay

    @staticmethod
    def _requested(view: View, rows: NDArray[np.int64], gpus: NDArray[np.int64]) -> NDArray[np.int64]:
        """The largest size up to the requested one, shape (rows, 1)."""
        asked = np.array([view.job(row).gpus for row in rows.tolist()])[:, None]
        return np.asarray(np.where(gpus <= asked, gpus, 0).max(axis=1, keepdims=True))

    def _carry_out(
        self, choices: ConcertChoices, view: View, gpus: NDArray[np.int64], column_of: Mapping[int, int]
    ) -> Iterator[Decision]:
        """Place the chosen gangs, given the GPUs of each choice, shape (jobs, columns), and each job's column or -1."""
        wanted = {
            row: (int(choices.pool[column]), int(gpus[i, column]))
            for i, (row, column) in enumerate(column_of.items())
            if column >= 0
        }
        before = {row: gang.placement for row, gang in self._held.items()}
        after = choices.pools.place(wanted, before, partial(arrange, locality=True) if self.network else anywhere)
        rows = np.array(list(after), dtype=np.int64)
        ready_s = view.now_s + self._start_s(view, rows)
        self._held = {
            row: self._held[row] if before.get(row) == placement else _Gang(column_of[row], placement, ready)
            for (row, placement), ready in zip(after.items(), ready_s.tolist(), strict=True)
        }
        self._begun.update(after)
        yield from exchange(view, after)


def _as_on_average(rate: NDArray[np.float64], gpus: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rates if every GPU type had the average speed of the job's types; shapes (rows, columns), (columns,)."""
    each = rate / np.maximum(gpus, 1)
    best = np.stack([np.where(kind == k, each, 0.0).max(axis=1) for k in range(int(kind.max()) + 1)], axis=1)
    mean = best.sum(axis=1, keepdims=True) / np.maximum((best > 0.0).sum(axis=1, keepdims=True), 1)
    scale = np.divide(mean, best, out=np.zeros_like(best), where=best > 0.0)
    return np.asarray(rate * scale[:, kind])
