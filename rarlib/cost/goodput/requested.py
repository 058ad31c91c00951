"""Jobs as their users requested them: with the requested GPUs and batch, whatever a scheduler gives them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.alone import at_batch, shape_of, share
from rarlib.cost.goodput.initial_state import RunContext
from rarlib.model.forecast import Forecast


class DurationForecast(NamedTuple):
    """True and predicted durations of jobs."""

    scale: NDArray[np.float64]  # size of a job's data set relative to its application's, shape (jobs,)
    forecast: Forecast  # the predictions that schedulers get


class RequestedRates:
    """Rates and iterations of the jobs of one run as requested. Methods take rows of the job table, shape (rows,)."""

    def __init__(self, context: RunContext, batch: NDArray[np.int64], durations: DurationForecast) -> None:
        self._context, self._batch, self._durations = context, batch, durations
        self._known: dict[tuple[int, int, int], NDArray[np.float64]] = {}
        self._courses: dict[tuple[int, int], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    def rates(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True iterations per second, with slow-down, shape (rows, types): Gavel's oracle.

        On the fewest nodes; 0 where the type has too few GPUs, or the request was not measured there.
        """
        return np.array([self._of(int(job))[0] for job in jobs]).reshape(len(jobs), len(self._context.types))

    def goodputs(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True samples per second, with slow-down, shape (rows, types): what Sia knows of rigid jobs."""
        return np.array([self._of(int(job))[1] for job in jobs]).reshape(len(jobs), len(self._context.types))

    def iterations(
        self, jobs: NDArray[np.int64], done: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Iterations left and in all with the requested batch, as forecast, at least 1, each of shape (rows,)."""
        left, total = np.zeros(len(jobs)), np.zeros(len(jobs))
        for i, job in enumerate(jobs.tolist()):
            ends, counts = self._course(int(self._context.app[job]), int(self._batch[job]))
            left[i], total[i] = max(1.0, counts[-1] - np.round(np.interp(done[i], ends, counts))), counts[-1]
        left, total = left * self._durations.scale[jobs], total * self._durations.scale[jobs]
        forecast = self._durations.forecast
        return np.maximum(forecast.left(jobs, left, total), 1.0), np.maximum(total * forecast.factor[jobs], 1.0)

    def _course(self, app: int, batch: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Work and iterations with a batch, at the beginning and at the end of every epoch; each (epochs + 1,)."""
        if (app, batch) not in self._courses:
            gradients = self._context.times.profiles.gradients[self._context.apps[app].name]
            counts = at_batch(gradients, gradients.iterations, float(batch))
            ends = gradients.progress.min(axis=0)
            self._courses[app, batch] = np.insert(ends, 0, 0.0), np.insert(counts, 0, 0.0)
        return self._courses[app, batch]

    def _of(self, job: int) -> NDArray[np.float64]:
        """Iterations and samples per second, with slow-down, by type; shape (2, types)."""
        context, batch, gpus = self._context, int(self._batch[job]), int(self._context.jobs.gpus[job])
        key = int(context.app[job]), gpus, batch
        if key not in self._known:
            app, out = context.apps[key[0]], np.zeros((2, len(context.types)))
            for k, kind in enumerate(context.kinds):
                if gpus > context.gpus_per_node[k] * context.nodes[k]:
                    continue
                try:
                    shape = shape_of(gpus, int(context.gpus_per_node[k]))
                    alone = share(context.times, app.name, kind, shape, batch, single=True)
                    out[0, k] = 1.0 / alone.iteration_s / app.slowdown
                    seconds = share(context.times, app.name, kind, shape, batch).iteration_s
                    out[1, k] = batch / seconds / app.slowdown
                except ValueError:
                    continue
            self._known[key] = out
        return self._known[key]
