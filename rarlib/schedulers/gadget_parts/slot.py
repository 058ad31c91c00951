"""One slot of GADGET: LP-based ring selection and multi-dimensional embedding, LP-RS-MDE.

Source: Yu, Tian, Ji, Wu, Rajan, Liu, "GADGET: Online Resource Optimization for Scheduling Ring-All-Reduce Learning
Jobs", INFOCOM 2022, doi 10.1109/INFOCOM48880.2022.9796785, section V-C, Alg. 2.

| paper | here | unit |
|---|---|---|
| u_b | `draws` | roundings |
| alpha | `alpha` | 1 |
| kappa_i | `SlotResult.sizes` | workers |
| Gamma | largest of `SlotResult.ceiling` | workers |

Rounding is vanilla (as printed: may overload the network, within Thm. 8), or heuristic: it drops a mapping that no
longer fits, so that the allocation is feasible.

l. 7 stops at the first rounding that reaches alpha = 1/3 of the LP's value and overloads nothing beyond beta and gamma.
The paper does not say which rounding is used if all u_b fail: here it is the best of those within the limits, or if
there is none, the one with the smallest overload. With alpha = 1, (nearly) all u_b are drawn and the best one is used.

With several resources the paper intersects the mappings found for each of them; here every column respects all
resources at once.

`solve_exactly` is for gains of any size (`rarlib.ilp.gadget.levels`). Which optimum of the LP is rounded is open while
no capacity binds: `packed` takes the one that column generation ends at, which rewards locality, `scattered` the one
that does not (`rarlib.ilp.gadget.anywhere`).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.gadget.anywhere import Anywhere, check_unit_workers
from rarlib.ilp.gadget.augmented import Mixture, augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.levels import LogSlot, exact_mixture, pooled_masses, relax_exactly
from rarlib.ilp.gadget.problem import TOLERANCE, SlotProblem
from rarlib.ilp.gadget.relaxation import Relaxed, relax
from rarlib.ilp.gadget.sparse import SparseRows
from rarlib.model.jit import hot_kernel
from rarlib.schedulers.gadget_parts.rounding import LoadLimits, MixtureArrays, limits

OPTIMA = ("packed", "scattered")


class SlotResult(NamedTuple):
    """What Alg. 2 found for one slot; rows are those of the problem."""

    workers: NDArray[np.int64]  # the allocation, shape (jobs, servers)
    value: float  # its total gain
    lp_value: float  # value of the LP relaxation of (12), an upper bound on every allocation
    augmented_value: float  # value of the LP with fixed ring sizes; for its accuracy see `Mixture.bound`
    ceiling: NDArray[np.int64]  # largest ring size considered, shape (jobs,); their maximum is Gamma
    sizes: NDArray[np.int64]  # ring size chosen, 0 if none, shape (jobs,)
    mappings: int  # how many mappings the LP was decomposed into
    draws: int  # roundings tried
    approximate: bool  # whether the rounding passes the test of Alg. 2, l. 7
    # largest load of a server over its capacity, by resource, shape (resources,); above 1 the capacity is violated
    node_excess: NDArray[np.float64]
    link_excess: float  # the same over all links
    beta: NDArray[np.float64]  # limit of `node_excess` in Thm. 8, shape (resources,)
    gamma: float  # limit of `link_excess` in Thm. 8


class _Rounded(NamedTuple):
    mixture: Mixture
    picked: NDArray[np.int64]
    value: float
    node_excess: NDArray[np.float64]
    link_excess: float

    def within(self, limit: LoadLimits) -> bool:
        return bool((self.node_excess <= limit.beta).all()) and self.link_excess <= limit.gamma

    def passes(self, limit: LoadLimits, target: float) -> bool:
        """The test of l. 7."""
        return self.within(limit) and self.value >= target

    def rank(self, limit: LoadLimits) -> tuple[bool, float]:
        """Sort key: roundings within the limits by value, then the others by overload."""
        inside = self.within(limit)
        return inside, self.value if inside else -max(float(self.node_excess.max()), self.link_excess)


def solve_slot(
    problem: SlotProblem,
    rng: np.random.Generator,
    *,
    fits: bool = True,
    draws: int = 1000,
    alpha: float = 1 / 3,
    columns: Columns | None = None,
) -> SlotResult:
    """Alg. 2 for one slot, with at most `draws` roundings, until one reaches the fraction `alpha` of the augmented LP.

    Rounding is heuristic (`fits`) or vanilla. `columns`, if given, are the mappings from earlier slots on the same
    network; they are extended in place.
    """
    columns = Columns(problem.network) if columns is None else columns
    relaxed = relax(problem)  # l. 3
    mixture = augmented_optimum(problem, relaxed.sizes, columns)  # l. 4-6
    rounder = _Rounder(problem, relaxed, columns, alpha * mixture.value)
    arrays = MixtureArrays.of(mixture, len(problem), columns.limits)
    return rounder.result(rounder.measured(mixture, *arrays.draw(rng, fits=fits)) for _ in range(draws))


def solve_exactly(
    slot: LogSlot,
    rng: np.random.Generator,
    columns: Columns,
    *,
    optimum: str = "packed",
    draws: int = 1000,
    alpha: float = 1 / 3,
) -> SlotResult:
    """Alg. 2 for one slot with gains of any size, heuristic rounding; values are in units of the slot's largest gain.

    `optimum` is one of `OPTIMA`; see `solve_slot` for the others.
    """
    problem, relaxed = slot.problem, relax_exactly(slot)
    if optimum == "packed":
        mixture = exact_mixture(slot, relaxed.sizes, columns)
        rounder = _Rounder(problem, relaxed, columns, alpha * mixture.value)
        arrays = MixtureArrays.of(mixture, len(problem), columns.limits)
        return rounder.result(rounder.measured(mixture, *arrays.draw(rng, fits=True)) for _ in range(draws))
    blend = _blend(slot, relaxed.sizes, columns)
    value = float(problem.gain[np.arange(len(problem)), relaxed.sizes] @ blend.mass)
    rounder = _Rounder(problem, relaxed, columns, alpha * value)
    mixtures = (blend.draw(problem, relaxed.sizes, columns, rng) for _ in range(draws))
    arrays_of = ((mixture, MixtureArrays.of(mixture, len(problem), columns.limits)) for mixture in mixtures)
    samples = (rounder.measured(mixture, *arrays.draw(rng, fits=True)) for mixture, arrays in arrays_of)
    result = rounder.result(samples)
    return result._replace(augmented_value=value, mappings=int(np.count_nonzero(blend.mass)))


def _blend(slot: LogSlot, sizes: NDArray[np.int64], columns: Columns) -> Anywhere:
    """Rings anywhere with the weights of an optimum, packed as far as links need it."""
    check_unit_workers(slot.problem)
    mass = pooled_masses(slot, sizes)
    blend = None if mass is None else Anywhere.blend(slot.problem, sizes, mass, None)
    if blend is None:
        packed = exact_mixture(slot, sizes, columns)
        blend = Anywhere.blend(slot.problem, sizes, packed.mass, packed)
    assert blend is not None
    return blend


class _Rounder:
    """What the roundings of one slot have in common."""

    def __init__(self, problem: SlotProblem, relaxed: Relaxed, columns: Columns, least: float) -> None:
        self.problem, self.relaxed, self.columns = problem, relaxed, columns
        self.limit = limits(problem, relaxed.sizes, limit_of(problem, relaxed.sizes))  # l. 2
        self.target = least * (1.0 - TOLERANCE)
        self.gain = problem.gain[np.arange(len(problem)), relaxed.sizes]

    def measured(self, mixture: Mixture, picked: NDArray[np.int64], used: NDArray[np.float64]) -> _Rounded:
        nodes, limit = self.columns.network.capacity, self.columns.limits
        over = np.divide(used, limit, where=used > 0.0, out=np.zeros(len(used)))
        return _Rounded(
            mixture=mixture,
            picked=picked,
            value=float(self.gain[picked >= 0].sum()),
            node_excess=over[: nodes.size].reshape(nodes.shape).max(axis=0),
            link_excess=float(over[nodes.size :].max()),
        )

    def result(self, samples: Iterable[_Rounded]) -> SlotResult:
        """What comes of the first good sample."""
        best, tried = _first_good(iter(samples), self.limit, self.target)
        workers = np.zeros((len(self.problem), self.problem.network.servers), np.int64)
        _place(best.picked, best.mixture.workers, workers)
        return SlotResult(
            workers=workers,
            value=best.value,
            lp_value=self.relaxed.value,
            augmented_value=best.mixture.value,
            ceiling=self.relaxed.ceiling,
            sizes=self.relaxed.sizes,
            mappings=len(best.mixture.weight),
            draws=tried,
            approximate=best.passes(self.limit, self.target),
            node_excess=best.node_excess,
            link_excess=best.link_excess,
            beta=self.limit.beta,
            gamma=self.limit.gamma,
        )


@hot_kernel
def _place(picked: NDArray[np.int64], rings: SparseRows, workers: NDArray[np.int64]) -> None:
    """Write the mapping picked for each job into its row of `workers`."""
    for job in range(len(picked)):
        if picked[job] >= 0:
            for at in range(rings.start[picked[job]], rings.start[picked[job] + 1]):
                workers[job, rings.place[at]] = int(rings.value[at])


def _first_good(samples: Iterator[_Rounded], limit: LoadLimits, target: float) -> tuple[_Rounded, int]:
    """The first sample that passes l. 7, or else the best one; and the number of samples drawn."""
    best, tried = next(samples), 1
    rank = best.rank(limit)
    if best.passes(limit, target):
        return best, tried
    for sample in samples:
        tried += 1
        other = sample.rank(limit)
        if other > rank:
            best, rank = sample, other
            if best.passes(limit, target):
                break
    return best, tried
