"""Single-GPU jobs with Poisson arrivals on a node of c GPUs are textbook queues: the means must agree with theory.

Each case: 30 replications, the theoretical mean inside their 99 % confidence interval, half-width under 2 %. A failure
means that the simulator loses, delays or reorders work on average, even where single schedules look right.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import cumulative_trapezoid, trapezoid

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.las import Las
from rarlib.schedulers.sjf import Sjf
from rarlib.schedulers.srtf import Srtf
from rarlib.simulator.engine import simulate
from tests.circles import first
from tests.rarlib.simulator.toys import Cost

REPLICATIONS = 30
EDGE = 2_000  # jobs left out at both ends: the system starts empty, and the last jobs meet no later ones
GRID = np.linspace(0.0, 120.0, 1_200_001)


@dataclass(frozen=True)
class Service:
    """A distribution of service times with mean 1: density on `GRID` and a sampler."""

    density: np.ndarray
    sample: object

    def mean_of(self, values):
        """Expectation of a function given by its values on the grid."""
        return float(trapezoid(values * self.density, GRID))

    def below(self, values):
        """Integral of values times density from 0 to each grid point."""
        return cumulative_trapezoid(values * self.density, GRID, initial=0.0)


EXPONENTIAL = Service(np.exp(-GRID), lambda rng, n: rng.exponential(1.0, n))
UNIFORM = Service(np.where(GRID <= 2.0, 0.5, 0.0), lambda rng, n: rng.uniform(0.0, 2.0, n))
MIXED = Service(  # squared coefficient of variation 3
    0.8 * 2.0 * np.exp(-2.0 * GRID) + 0.2 / 3.0 * np.exp(-GRID / 3.0),
    lambda rng, n: np.where(rng.random(n) < 0.8, rng.exponential(0.5, n), rng.exponential(3.0, n)),
)
SERVICES = {"exponential": EXPONENTIAL, "uniform": UNIFORM, "mixed": MIXED}


def agrees(theory, measure, *, scheduler, load, service, servers=1, jobs=50_000, key=()):
    """Compare the mean of `measure(run)` over jobs with theory."""
    means = []
    for replication in range(REPLICATIONS):
        rng = stream(2, "queueing", *key, replication)
        submit = np.cumsum(rng.exponential(1.0 / (load * servers), jobs))
        table = Jobs.build(submit_s=submit, gpus=np.ones(jobs), duration_s=service.sample(rng, jobs))
        run = simulate(table, Cluster.of([servers]), scheduler(), Cost())
        means.append(measure(run)[EDGE:-EDGE].mean())
    half = stats.t.ppf(0.995, REPLICATIONS - 1) * np.std(means, ddof=1) / np.sqrt(REPLICATIONS)
    print(f"{key}: theory {theory:.5f}, simulated {np.mean(means):.5f} +- {half:.5f} ({half / theory:.2%})")  # noqa: T201
    assert half < 0.02 * theory
    assert abs(np.mean(means) - theory) < half


def waiting(run):
    return run.queue_s


def turnaround(run):
    return run.finish_s - run.jobs.submit_s


def erlang_c(servers, load):
    """Probability that an arrival waits in M/M/c."""
    offered = servers * load
    last = offered**servers / factorial(servers) / (1.0 - load)
    return last / (sum(offered**k / factorial(k) for k in range(servers)) + last)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.6), (4, 0.7), pytest.param(8, 0.8, marks=pytest.mark.release)])
def test_exponential_service_fifo(servers, load):
    """M/M/1 and M/M/c: mean wait C(c, a) / (c (1 - rho)), with Erlang's C."""
    theory = erlang_c(servers, load) / (servers * (1.0 - load))
    jobs = {1: 50_000, 4: 200_000, 8: 300_000}[servers]
    agrees(theory, waiting, scheduler=Fifo, load=load, service=EXPONENTIAL, servers=servers, jobs=jobs,
           key=("mmc", servers))  # fmt: skip


@pytest.mark.parametrize("name", ["uniform", "mixed"])
def test_general_service_fifo(name):
    """M/G/1 FIFO: Pollaczek and Khinchine, rho E[S^2] / (2 (1 - rho)) with E[S] = 1."""
    service = SERVICES[name]
    theory = 0.6 * service.mean_of(GRID**2) / (2 * (1 - 0.6))
    jobs = 80_000 if name == "mixed" else 50_000
    agrees(theory, waiting, scheduler=Fifo, load=0.6, service=service, jobs=jobs, key=("pk", name))


@pytest.mark.parametrize("name", first(1, SERVICES))
def test_general_service_sjf(name):
    """M/G/1 non-preemptive SJF: Cobham's priorities with a class per service time (Phipps 1956).

    A job of length x waits lambda E[S^2] / (2 (1 - rho(x))^2), where rho(x) is the load of jobs shorter than x.
    """
    service, load = SERVICES[name], 0.7
    shorter = load * service.below(GRID)
    theory = service.mean_of(load * service.mean_of(GRID**2) / (2 * (1 - shorter) ** 2))
    agrees(theory, waiting, scheduler=Sjf, load=load, service=service, key=("sjf", name))


@pytest.mark.parametrize("name", first(1, SERVICES))
def test_general_service_srtf(name):
    """M/G/1 preemptive SRTF (Schrage and Miller 1966): time to first service plus residence of a job of length x.

    (lambda int_0^x t^2 dF + lambda x^2 (1 - F(x))) / (2 (1 - rho(x))^2) + int_0^x dt / (1 - rho(t))
    """
    service, load = SERVICES[name], 0.7
    idle = 1 - load * service.below(GRID)
    tail = 1 - service.below(np.ones_like(GRID))
    first = load * (service.below(GRID**2) + GRID**2 * tail) / (2 * idle**2)
    theory = service.mean_of(first + cumulative_trapezoid(1 / idle, GRID, initial=0.0))
    agrees(theory, turnaround, scheduler=Srtf, load=load, service=service, key=("srtf", name))


@pytest.mark.parametrize("name", first(1, ["exponential", "mixed"]))
def test_general_service_las(name):
    """M/G/1 with levels served first come, first served (Kleinrock 1976, vol. 2, sec. 4.7).

    A job of length x that ends in the queue above level a and up to level b is in the system for (W(b) + x) / (1 -
    rho(a)), with W(b) = lambda E[min(S, b)^2] / (2 (1 - rho(b))) and rho(a) = lambda E[min(S, a)].
    """
    service, load, levels = SERVICES[name], 0.7, (0.5, 2.0)
    time = np.zeros_like(GRID)
    for a, b in zip((0.0, *levels), (*levels, np.inf), strict=True):
        cut = np.minimum(GRID, b)
        wait = load * service.mean_of(cut**2) / (2 * (1 - load * service.mean_of(cut)))
        here = (a < GRID) & (b >= GRID)
        time[here] = (wait + GRID[here]) / (1 - load * service.mean_of(np.minimum(GRID, a)))
    jobs = 80_000 if name == "mixed" else 50_000
    agrees(service.mean_of(time), turnaround, scheduler=lambda: Las(levels=levels), load=load, service=service,
           jobs=jobs, key=("las", name))  # fmt: skip
