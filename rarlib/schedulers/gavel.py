"""Gavel: a linear program computes shares of time on GPU types, and rounds approximate them.

Source: Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, "Heterogeneity-Aware Cluster Scheduling Policies for
Deep Learning Workloads", OSDI 2020, sections 4 and 5, with the choices of the code that the authors of Sia (SOSP 2023)
compare with. Symbols: `rarlib.ilp.gavel.policies`, `Priorities`.

1. Shares depend on the jobs in the system; with finish-time fairness also on their ages, so it is solved in every
   round.
2. If the optimum is not unique, the centre of all optima is used (`rarlib.ilp.gavel.central_path`).
3. Jobs run on the GPUs and with the batch that their users requested. `phantom_rate` is the speed that the authors'
   code assumes for a job on a type with too few GPUs for it: a share of such a type is wasted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.in_order import NumberedGpus
from rarlib.allocate.present import exchange
from rarlib.ilp.gavel.policies import Shares, finish_time_fairness, isolated, max_min_fairness, max_sum_throughput
from rarlib.model.decisions import Decision, Wake
from rarlib.model.jobs import Job
from rarlib.model.scheduler import View, in_system
from rarlib.model.settings import AT_LEAST_0, INTERVAL, OneOf, check_settings
from rarlib.schedulers.shared.rounds import SpacedRounds, iterations, requested_rates

FAIR = "finish-time-fairness"
GAVEL_POLICIES = ("max-sum-throughput", "max-min-fairness", FAIR)


class Priorities:
    """Section 5: from shares of time to the jobs that run in the next round, by the time they have received.

    | paper | here | unit |
    |---|---|---|
    | X_mj | `shares` | 1 |
    | f_mj | `received` / `total` | 1 |
    | priority_mj = X_mj / f_mj | `priority` | 1 |

    Where the paper leaves a choice open, we follow the code: a job enters with a credit of half a round on every type,
    a round counts in full even if the job ends in it, and credits are never reset. A job whose share is zero comes
    last, but runs if GPUs would otherwise be idle.
    """

    def __init__(self, types: int, round_s: float) -> None:
        self._round_s = round_s
        self._received: dict[int, list[float]] = {}
        self._total = np.zeros(types)

    def admit(self, jobs: NDArray[np.int64]) -> None:
        """Give new jobs their first credit, and forget jobs that have left."""
        half, before = self._round_s / 2.0, self._received
        self._received = {job: before.get(job) or [half] * len(self._total) for job in jobs.tolist()}
        self._total += half * len(self._received.keys() - before)

    def choose(
        self,
        jobs: NDArray[np.int64],
        shares: NDArray[np.float64],
        gpus: NDArray[np.int64],
        capacity: NDArray[np.int64],
    ) -> list[list[int]]:
        """Serve (job, type) pairs greedily, highest priority first; what does not fit is passed over.

        Ties are broken by share, then by type, then by job.

        Args:
            jobs: jobs, in the order that breaks ties, shape (jobs,).
            shares: shape (jobs, types).
            gpus: GPUs of each job, shape (jobs,).
            capacity: GPUs by type, shape (types,).

        Returns:
            For each type, positions in `jobs`, in the order served.
        """
        received = np.array([self._received[job] for job in jobs.tolist()])
        priority = (shares / (received / self._total)).T  # shape (types, jobs)
        order = np.lexsort((-shares.T.ravel(), -priority.ravel()))
        left, wanted, waits = capacity.tolist(), gpus.tolist(), [True] * len(jobs)
        chosen: list[list[int]] = [[] for _ in left]
        for pair in order.tolist():
            kind, job = divmod(pair, len(jobs))
            if waits[job] and wanted[job] <= left[kind]:
                waits[job] = False
                left[kind] -= wanted[job]
                chosen[kind].append(job)
        return chosen

    def serve(self, jobs: NDArray[np.int64], chosen: list[list[int]]) -> None:
        """Credit the round to the jobs that run in it."""
        for kind, positions in enumerate(chosen):
            for position in positions:
                self._received[int(jobs[position])][kind] += self._round_s
            self._total[kind] += self._round_s * len(positions)


@dataclass
class Gavel:
    """Gavel with one of its policies.

    Attributes:
        policy: `max-sum-throughput` (the default of Sia's comparison), `max-min-fairness` or `finish-time-fairness`.
        round_s: length of a round.
        phantom_rate: iterations per second of a job on a type with too few GPUs for it.
    """

    name: ClassVar[str] = "gavel"
    label: ClassVar[str] = "Gavel"
    paper: ClassVar[str] = "gavel"
    one_type: ClassVar[str] = "requested"
    made_for: ClassVar[str] = "goodput"

    policy: Annotated[str, OneOf(*GAVEL_POLICIES)] = "max-sum-throughput"
    round_s: Annotated[float, INTERVAL] = 360.0
    phantom_rate: Annotated[float, AT_LEAST_0] = 0.0
    _gpus: NumberedGpus | None = field(default=None, init=False, repr=False)
    _priorities: Priorities | None = field(default=None, init=False, repr=False)
    _solved: tuple[tuple[int, ...], NDArray[np.float64], Shares] | None = field(default=None, init=False, repr=False)
    _seen_s: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        self._rounds = SpacedRounds(self.round_s)

    def decide(self, view: View) -> Iterable[Decision]:
        """One round: shares, priorities, and which job runs where."""
        if self._gpus is None or self._priorities is None:
            self._gpus = NumberedGpus(view.cluster)
            self._priorities = Priorities(len(self._gpus.capacity), self.round_s)
        jobs = in_system(view)
        if not jobs:
            return
        if self._rounds.due(view.now_s):
            yield from exchange(view, self._gpus.place(self._chosen(view, self._priorities, self._gpus.capacity, jobs)))
        yield Wake(self._rounds.next_s)

    def _chosen(
        self, view: View, priorities: Priorities, capacity: NDArray[np.int64], jobs: Sequence[Job]
    ) -> list[dict[int, int]]:
        """For each type, job -> GPUs of the jobs that run in this round, in the order served."""
        rows = np.array([job.row for job in jobs])
        gpus = np.array([job.gpus for job in jobs])
        priorities.admit(rows)
        chosen = priorities.choose(rows, self._shares(view, capacity, jobs), gpus, capacity)
        priorities.serve(rows, chosen)
        return [{jobs[i].row: jobs[i].gpus for i in positions} for positions in chosen]

    def _shares(self, view: View, capacity: NDArray[np.int64], jobs: Sequence[Job]) -> Shares:
        rows = tuple(job.row for job in jobs)
        known = self._solved is not None and self._solved[0] == rows
        rate = self._solved[1] if self._solved is not None and known else requested_rates(view, jobs, self.name)
        if self._solved is not None and known and self.policy != FAIR:
            return self._solved[2]
        gpus = np.array([job.gpus for job in jobs])
        believed = np.where(rate > 0.0, rate, self.phantom_rate)
        if self.policy == "max-sum-throughput":
            shares = max_sum_throughput(believed, gpus, capacity)
        elif self.policy == "max-min-fairness":
            shares = max_min_fairness(believed, gpus, capacity)
        else:
            shares = self._fair(view, capacity, jobs, believed)
        shares[believed == 0.0] = 0.0
        self._solved = (rows, rate, shares)
        return shares

    def _fair(self, view: View, capacity: NDArray[np.int64], jobs: Sequence[Job], rate: NDArray[np.float64]) -> Shares:
        gpus = np.array([job.gpus for job in jobs])
        rows = np.array([job.row for job in jobs])
        left, total = iterations(view, jobs, self.name)
        submitted = np.array([job.submit_s for job in jobs])
        first = np.array([self._seen_s.setdefault(job.row, view.now_s) for job in jobs])
        alone = (first - submitted) + view.prices.launch_s[rows]
        alone += total / (rate * isolated(gpus, capacity)).sum(axis=1)
        age = view.now_s - submitted
        return finish_time_fairness(rate, gpus, capacity, age_s=age, left=left, alone_s=alone)
