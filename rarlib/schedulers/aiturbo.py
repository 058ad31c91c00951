"""AITurbo: one queue for predictable and unpredictable jobs, and one measure of service for GPUs and CPUs.

Source: Zhao, Li, Qu, Zhan, Zhang, AITurbo: Unified Compute Allocation for Partial Predictable Training in Commodity
Clusters, HPDC 2021, doi 10.1145/3431379.3460639. The paper's text is not public. This is a documented reconstruction:

[ABS]   the abstract: unpredictable jobs by least attained service; a model predicts how predictable jobs perform under
        other allocations of CPUs and GPUs; a Borda count merges both into a multi-level feedback queue
[LAB]   later code of the same laboratory: everything else below that is not
[RECON] our own inference

    symbol          here                     unit
    R(x)            tasks @ weights          service per second: 10 a GPU, 5 a task of 5 cores [LAB]
    attained        Holdings.service         service
    S(x)            moves.best_moves         service still needed with allocation x
    r_srv, r_gain   ranking.borda_scores     rank
    score           Aiturbo._scores          2 r_srv | r_srv + r_gain, smaller is more urgent

Errors of that code, and what is done here instead:
(i)   its ranks count rounds; here they are ranks                                    ranking.ranks
(ii)  its smallest gain ranks first; here the largest                                ranking.gain_ranks
(iii) a huge number stands for an impossible move; here it is never the best         moves.best_moves
(iv)  equal gains fall through every branch; here the job shrinks                    moves.best_moves
(v)   it adds GPU percent and servers as attained service; here R(x) times seconds   Holdings.catch_up
(vi)  its fitted step times turn negative; here they cannot                          rarlib.cost.parameter_server.speed

In that code a job must fit on one node. Here its tasks may be on several nodes, since the model of a step does not
depend on their placement [RECON].

Queues that are intervals of the score, served by score, change no schedule at all. `inside` and `leftover`
switch single parts of it off.

AITurbo is also extended to jobs with adaptive batches: see `rarlib.schedulers.aiturbo_parts.jobs`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.tasks import Holdings
from rarlib.model.decisions import Decision, Wake
from rarlib.model.scheduler import View
from rarlib.model.settings import ABOVE_0, INTERVAL, OneOf, check_settings, require_ascending
from rarlib.schedulers.aiturbo_parts.jobs import JobKind, kind_of_jobs
from rarlib.schedulers.aiturbo_parts.ranking import KEEP, borda_scores, levels
from rarlib.schedulers.shared.rounds import Rounds


@dataclass
class Aiturbo:
    """AITurbo, as far as it can be reconstructed.

    In a full round, every `tick` seconds or when a job becomes predictable, every predictable job gets one task more or
    less if that saves service. At every change in the system all jobs are ranked again and served by score; jobs that
    do not fit are passed over. A job gets its new allocation if that fits, else its current one, else it waits.

    Args:
        tick: seconds between full rounds.
        thresholds: scores at which the next queue begins.
        inside: order within a queue: `score`, with which the queues have no effect [LAB], or `arrival` [RECON].
        leftover: whether predictable jobs get tasks that no waiting job uses, until the next pass, by largest saving of
            time [RECON]. Without it [LAB], jobs stay at the size of least product of time and resources, even on an
            empty cluster.
        gpu_cores: number of cores that a GPU counts as.
        task_cores: number of cores that a worker or parameter server counts as.
    """

    name: ClassVar[str] = "aiturbo"
    label: ClassVar[str] = "AITurbo"
    paper: ClassVar[str] = "aiturbo"
    one_type: ClassVar[str] = "fewest"
    uses_cpu: ClassVar[bool] = True
    learning: ClassVar[str] = "by-type"

    tick: Annotated[float, INTERVAL] = 240.0
    thresholds: tuple[float, ...] = (30.0, 180.0)
    inside: Annotated[str, OneOf("score", "arrival")] = "score"
    leftover: bool = True
    gpu_cores: Annotated[float, ABOVE_0] = 10.0
    task_cores: Annotated[float, ABOVE_0] = 5.0
    _held: Holdings | None = field(default=None, init=False, repr=False)
    _jobs: JobKind | None = field(default=None, init=False, repr=False)
    _empty: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self)
        require_ascending(self.thresholds, "thresholds")
        self._rounds = Rounds(self.tick)

    def decide(self, view: View) -> Iterable[Decision]:
        """Rank all jobs and serve them; at full rounds, move allocations first."""
        if self._held is None or self._jobs is None:
            self._held, self._jobs = self._begin(view)
        self._held.catch_up(view)
        jobs = np.concatenate([view.running_rows, view.waiting_rows])
        jobs.sort()
        if not self._jobs.settles:
            # Rounds continue while no job is there, but need no scheduling pass.
            if self._empty:
                self._rounds.pass_over(view.now_s)
            self._empty = not len(jobs)
            if self._empty:
                return
        self._jobs.look(view, jobs)
        self._welcome(view, self._jobs, jobs)
        predictable = self._jobs.predictable(view)[jobs]
        full = self._rounds.due(view.now_s) or bool((predictable & ~self._known[jobs]).any())
        self._known[jobs] = predictable
        plan = self._plan[jobs]
        moved = self._move(view, self._jobs, jobs, predictable) if full else plan
        order = self._order(jobs, predictable)
        # The new allocation, else the current one, else none.
        given = self._jobs.admit(view, order, np.concatenate((moved[:, None], plan[:, None]), axis=1))
        served, wanted = given.tasks.any(axis=1), given.tasks
        quiet = self._jobs.settles and full and served.all() and (wanted == plan).all()
        self._plan[jobs[served]] = wanted[served]
        if self.leftover and given.remaining.any():
            # Each remaining task goes to the predictable job that saves most time with it; plans do not change.
            wanted = self._jobs.grow(view, given, predictable & served)
        kind = None if given.kind is None else given.kind[order]
        yield from self._held.exchange(view, jobs[order], wanted[order], kind)
        # If all jobs run and none moves, the next round would decide the same.
        if not quiet:
            yield Wake(self._rounds.next(view.now_s))

    def _begin(self, view: View) -> tuple[Holdings, JobKind]:
        gpu, task = self.gpu_cores + self.task_cores, self.task_cores
        held = Holdings(view, (gpu, task, task))
        n = len(view.prices.work)
        self._plan, self._seen = np.zeros((n, 3), np.int64), 0
        self._gain, self._wish = np.zeros(n), np.full(n, KEEP)
        self._known = np.ones(n, np.bool_)
        return held, kind_of_jobs(view, held, self.name)

    def _welcome(self, view: View, kind: JobKind, jobs: NDArray[np.int64]) -> None:
        """Plan new jobs with the allocation that their users requested."""
        new = slice(int(jobs.searchsorted(self._seen)), len(jobs))
        if new.start < new.stop:
            self._plan[jobs[new]], self._seen = kind.requested(view, new), int(jobs[-1]) + 1

    def _move(self, view: View, kind: JobKind, jobs: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Allocations after the best move of every predictable job, shape (jobs, 3); notes gains for the ranking."""
        assert self._held is not None
        moved, rows = self._plan[jobs], jobs[known]
        moved[known], self._gain[rows], self._wish[rows] = kind.moves(view, known, moved[known], self._held.weights)
        return moved

    def _order(self, jobs: NDArray[np.int64], predictable: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Positions in `jobs` by queue, inside it by score or arrival, most urgent first."""
        assert self._held is not None
        scores = borda_scores(self._held.service[jobs], predictable, self._gain[jobs], self._wish[jobs])
        # A queue is an interval of the score, so that the score alone orders by both.
        return (scores if self.inside == "score" else levels(scores, self.thresholds)).argsort(kind="stable")
