"""SJF-BCO: smallest gang first with balanced contention and overhead.

Source: Yu, Ji, Rajan, Liu, "On Scheduling Ring-All-Reduce Learning Jobs in Multi-Tenant GPU Clusters with
Communication Contention", MobiHoc 2022, doi 10.1145/3492866.3549716, section 5, Alg. 1-3.

| paper | here | unit |
|---|---|---|
| T | `horizon` | s (slots) |
| theta_u | `BatchSchedule.theta` | s |
| kappa | `kappa` | GPUs |
| lambda_j | `lambda_`, the same for every job | 1 |
| rho-hat_j, u | iterations x `tau_hat`, `u` | s, 1 |
| U_s^g | `GpuState.busy` | s |
| FA-FFP (Alg. 2), LBSGF (Alg. 3) | `planning/choose.py` | |

Where the paper leaves a choice open or cannot run as printed, and what is done here:

1. U is reset once (Alg. 1, l. 2): here it is reset for every (theta, kappa), `idle_gpus`.
2. A gang that finds no GPUs leaves a partial schedule whose makespan may be accepted (l. 15-17): here an incomplete
   schedule is never accepted, `Search.improve`.
3. theta may be a fraction (l. 6), so the bisection need not end: here it is a whole number, `bisect`.
4. l. 19 tests improvement, which is not monotone in theta: this is kept; `bisection` selects one search for all kappa
   (`shared`, as printed) or one for each (`per-kappa`); `all` tries every whole limit instead.
5. Alg. 2, l. 4 takes the least busy GPUs of the whole cluster, which is list scheduling and contradicts its name and
   the text: `fa_ffp` is `pack` (used servers first), `literal` (as printed), `first`, or
   `one-server` (a gang waits for a server with space for all of it).
6. "Available" and "wait for an exit" (Alg. 2, l. 8; Alg. 3, l. 11) mean something only if GPUs must be idle:
   `availability` is `idle`, or `queue` (gangs queue on busy GPUs).
7. xi1 < 1 makes a shared link faster than an idle one: the price table uses k = max(1, xi p).
8. theta bounds accumulated busy time (eq. 16): `limit` is `busy`, or `finish` (the clock, gang idling included).
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from rarlib.model.scheduler import View
from rarlib.model.settings import COUNT, OneOf, Within
from rarlib.schedulers.shared.planning.batch import Batch
from rarlib.schedulers.shared.planning.choose import SMALL_RULES
from rarlib.schedulers.shared.planning.gpu_state import BUSY, LEVELS
from rarlib.schedulers.shared.planning.planner import SearchingPlanner
from rarlib.schedulers.shared.planning.search import (
    BatchSchedule,
    kappas,
    least_conceivable,
    search_all,
    search_per_kappa,
    search_shared,
)


@dataclass
class SjfBco(SearchingPlanner):
    """SJF-BCO with its open choices as parameters; the defaults follow the paper where it is definite.

    Attributes:
        lambda_: lambda_j >= 1; large gangs may use the least busy servers that together hold this many times their
            size.
        kappa: largest gang placed by FA-FFP; None: all values are tried.
        fa_ffp: `pack`, `literal`, `first` or `one-server`.
        limit: `busy` or `finish`.
        bisection: `shared`, `per-kappa` or `all` (no bisection).
    """

    name: ClassVar[str] = "sjf-bco"
    label: ClassVar[str] = "SJF-BCO"
    paper: ClassVar[str] = "sjf-bco"

    lambda_: Annotated[float, Within(1.0)] = 1.0
    kappa: Annotated[int, COUNT] | None = None
    availability: Annotated[str, OneOf("idle", "queue")] = "idle"
    fa_ffp: Annotated[str, OneOf(*SMALL_RULES)] = "pack"
    limit: Annotated[str, OneOf(*LEVELS)] = "busy"
    bisection: Annotated[str, OneOf("shared", "per-kappa", "all")] = "shared"

    def plan(self, view: View, batch: Batch, horizon: float) -> BatchSchedule | None:
        """Alg. 1."""
        search = self.search(view, batch, horizon, LEVELS[self.limit], BUSY, self.fa_ffp, self.lambda_)
        new = batch.gang[batch.running[0] :]
        choices = kappas(new) if self.kappa is None else [self.kappa]
        if self.bisection == "all":
            plan = search_all(search, choices, self._first(view, batch), horizon / self.step_s)
        else:
            run = search_shared if self.bisection == "shared" else search_per_kappa
            plan = run(search, choices, horizon / self.step_s)
        return plan and plan._replace(passes=search.passes, looked=search.looked)

    def _first(self, view: View, batch: Batch) -> int:
        """Smallest limit worth trying; running gangs have no level yet, so then it is 1."""
        return (
            1
            if batch.running[0]
            else least_conceivable(batch, view.cluster.total_gpus, LEVELS[self.limit], self.step_s)
        )
