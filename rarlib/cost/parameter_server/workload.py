"""Jobs trained with parameter servers, as arrays: what is true of each, and what is predicted of it.

Sources: Zhao et al. (AITurbo), HPDC 2021, doi 10.1145/3431379.3460639, [ABS] for two classes of jobs and unified use of
CPUs and GPUs; [LAB] (later code of the laboratory) for jobs that become predictable while they run, limits of 4 workers
and 10 servers, and one kind of worker per job.

Prediction error is an explicit model [RECON]: coefficients of the step time and the number of steps are each off by a
log-normal factor of their own, drawn once per job. Before a job is predictable, a scheduler that insists on a number
gets a guess of its steps, which is off by a wider factor. With an error e, predictions are wrong by about 0.8 e on
average.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.parameter_server.models import Model, model_number, models
from rarlib.cost.parameter_server.speed import step_s
from rarlib.model.cluster import SLOT_CORES
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs

MAX_WORKERS = 4
MAX_SERVERS = 10

NO_SWITCH = np.inf
"""`switch` of a job that does not become predictable."""


@dataclass(frozen=True)
class PsJobs:
    """Jobs trained with parameter servers; arrays of shape (jobs,) in the order of the job table."""

    model: NDArray[np.int64]  # position in `models()`
    steps: NDArray[np.float64]  # steps to do
    batch: NDArray[np.int64]  # global batch, samples
    on_cpu: NDArray[np.bool_]  # whether its workers run on CPUs
    workers: NDArray[np.int64]  # workers that the user requested
    servers: NDArray[np.int64]  # servers that the user requested
    # share of its steps after which the job is predictable; 0: from the beginning; `NO_SWITCH`
    switch: NDArray[np.float64]
    theta: NDArray[np.float64]  # true coefficients of the step time, shape (jobs, 5)
    slowdown: NDArray[np.float64]  # slow-down of a CPU worker relative to a GPU
    predicted_theta: NDArray[np.float64]  # predicted coefficients, same shape as `theta`
    predicted_steps: NDArray[np.float64]  # steps that a predictable job is expected to do
    guessed_steps: NDArray[np.float64]  # the same for a job that is not predictable
    most_workers: int = MAX_WORKERS  # most workers that a job of this workload may have

    def __len__(self) -> int:
        return len(self.model)

    @classmethod
    def build(
        cls,
        names: Sequence[str],
        steps: Any,
        workers: Any = 1,
        servers: Any = 1,
        *,
        on_cpu: Any = False,
        switch: Any = 0.0,
        cores: float = SLOT_CORES,
        most_workers: int = MAX_WORKERS,
    ) -> "PsJobs":
        """Jobs whose predictions are all exact; scalars stand for every job.

        Args:
            names: model of each job.
            steps: steps to do, above 0.
            workers: requested workers, 1 to `most_workers`.
            servers: requested servers, 1 to `MAX_SERVERS`.
            on_cpu: whether workers run on CPUs.
            switch: share of the steps after which a job is predictable.
            cores: cores of a CPU worker.
            most_workers: most workers that a job may have.

        Raises:
            InputError: an unknown model or a value out of range, naming the job.
        """
        number = np.array([model_number(name) for name in names], dtype=np.int64)
        kinds: list[Model] = [models()[i] for i in number]
        n = len(number)

        def column(name: str, value: Any, low: float, high: float, dtype: Any) -> NDArray[Any]:
            array = np.array(np.broadcast_to(value, (n,)), dtype=np.float64)
            bad = ~((array >= low) & (array <= high))
            if bad.any():
                job = int(np.argmax(bad))
                raise InputError(f"job {job} must have {low:g} to {high:g}, found {array[job]:g}", field=name)
            return array.astype(dtype)

        work = column("steps", steps, 1e-9, 1e15, np.float64)
        theta = np.array([kind.theta for kind in kinds]).reshape(n, -1)
        return cls(
            model=number,
            steps=work,
            batch=np.array([kind.batch for kind in kinds], dtype=np.int64),
            on_cpu=np.array(np.broadcast_to(on_cpu, (n,)), dtype=np.bool_),
            workers=column("workers", workers, 1, most_workers, np.int64),
            servers=column("servers", servers, 1, MAX_SERVERS, np.int64),
            switch=column("switch", switch, 0.0, NO_SWITCH, np.float64),
            theta=theta,
            slowdown=np.array([kind.slowdown_on(cores) for kind in kinds]),
            predicted_theta=theta.copy(),
            predicted_steps=work.copy(),
            guessed_steps=work.copy(),
            most_workers=most_workers,
        )

    def mispredicted(self, rng: np.random.Generator, error: float) -> "PsJobs":
        """The same jobs with predictions that are off, by `error`: the standard deviation of their logarithm.

        That of the guessed steps of a job that is not predictable is 1. The draws do not depend on the size of the
        error, so that a sweep over it varies nothing else.

        Raises:
            InputError: a negative error.
        """
        if not (np.isfinite(error) and error >= 0.0):
            raise InputError(f"must be a number of at least 0, found {error}", field="error")
        draws = rng.standard_normal((len(self), self.theta.shape[1] + 2))
        return replace(
            self,
            predicted_theta=self.theta * np.exp(error * draws[:, 2:]),
            predicted_steps=self.steps * np.exp(error * draws[:, 0]),
            guessed_steps=self.steps * np.exp(draws[:, 1]),
        )

    def lasting(self, seconds: Any) -> "PsJobs":
        """The same jobs with steps that take the given times on the requested tasks, and exact predictions."""
        steps = np.asarray(seconds, dtype=np.float64) / self.requested_step_s()
        return replace(self, steps=steps, predicted_steps=steps.copy(), guessed_steps=steps.copy())

    def requested_step_s(self) -> NDArray[np.float64]:
        """True seconds of a step on the tasks that the user requested, shape (jobs,)."""
        gpu, cpu = np.where(self.on_cpu, 0, self.workers), np.where(self.on_cpu, self.workers, 0)
        return np.asarray(step_s(self.theta, self.batch, gpu, cpu, self.servers, self.slowdown))

    def table(self, submit_s: Any) -> Jobs:
        """The job table, each job as its user requested it.

        Raises:
            InputError: submissions that do not ascend, since positions would change.
        """
        submit = np.asarray(submit_s, dtype=np.float64)
        if (np.diff(submit) < 0).any():
            raise InputError("must ascend", field="submit_s")
        return Jobs.build(
            submit_s=submit,
            gpus=np.where(self.on_cpu, 0, self.workers),
            cpu_tasks=self.servers + np.where(self.on_cpu, self.workers, 0),
            duration_s=self.steps * self.requested_step_s(),
            application=[models()[i].name for i in self.model],
            batch_size=self.batch,
        )

    def predicted_step_s(self) -> NDArray[np.float64]:
        """Predicted seconds of a step by job, GPU workers, CPU workers and servers; infinite where a job cannot run."""
        table = self._step_s(self.predicted_theta)
        gpu, cpu, _ = np.ogrid[: table.shape[1], : table.shape[2], : table.shape[3]]
        allowed = np.broadcast_to(gpu + cpu <= self.most_workers, table.shape).copy()
        allowed &= np.where(self.on_cpu[:, None, None, None], gpu == 0, cpu == 0)
        return np.where(allowed, table, np.inf)

    def true_step_s(self) -> NDArray[np.float64]:
        """True seconds of a step on workers of one kind, indexed like `predicted_step_s`."""
        return self._step_s(self.theta)

    def _step_s(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        gpu, cpu, servers = np.ogrid[: self.most_workers + 1, : self.most_workers + 1, : MAX_SERVERS + 1]
        spread = (slice(None), None, None, None)
        return np.asarray(step_s(theta[spread], self.batch[spread], gpu, cpu, servers, self.slowdown[spread]))
