"""Gavel's round mechanism: from shares of time to the jobs that run in the next round.

Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020,
section 5, as coded by the authors of Sia (SOSP 2023).

| paper | here | unit |
|---|---|---|
| X_mj | `shares` | 1 |
| f_mj | `received` / `total` | 1 |
| priority_mj = X_mj / f_mj | `priority` | 1 |

Where the paper leaves a choice open, we follow the code: a job enters with a credit of half a round on every type, a
round counts in full even if the job ends in it, and credits are never reset. A job whose share is zero comes last, but
runs if GPUs would otherwise be idle.
"""

import numpy as np
from numpy.typing import NDArray


class Priorities:
    """Time that jobs have received on every GPU type."""

    def __init__(self, types: int, round_s: float) -> None:
        self._round_s = round_s
        self._received: dict[int, NDArray[np.float64]] = {}
        self._total = np.zeros(types)

    def admit(self, jobs: NDArray[np.int64]) -> None:
        """Give new jobs their first credit, and forget jobs that have left."""
        credit = np.full(len(self._total), self._round_s / 2.0)
        self._total += credit * sum(job not in self._received for job in jobs.tolist())
        self._received = {job: self._received.get(job, credit) for job in jobs.tolist()}

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
        left, waits = capacity.copy(), np.ones(len(jobs), np.bool_)
        chosen: list[list[int]] = [[] for _ in capacity]
        for pair in order.tolist():
            kind, job = divmod(pair, len(jobs))
            if waits[job] and gpus[job] <= left[kind]:
                waits[job] = False
                left[kind] -= gpus[job]
                chosen[kind].append(job)
        return chosen

    def serve(self, jobs: NDArray[np.int64], chosen: list[list[int]]) -> None:
        """Credit the round to the jobs that run in it."""
        for kind, positions in enumerate(chosen):
            for position in positions:
                job = int(jobs[position])
                self._received[job] = self._received[job] + self._round_s * (np.arange(len(self._total)) == kind)
            self._total[kind] += self._round_s * len(positions)
