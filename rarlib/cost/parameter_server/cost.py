"""A cost model of training with parameter servers: work is counted in steps, whose time depends on the tasks.

Source: Zhao et al. (AITurbo), HPDC 2021, doi 10.1145/3431379.3460639; [LAB], later code of the same laboratory, for the
time of a step, which does not depend on where tasks are. In unified CPU-GPU training a job has workers of one kind
[LAB]; the abstract does not say whether it may have both.

Start a job with `Start(job, placement, variant=servers)`: the GPUs of the placement are its GPU workers, `servers` of
its CPU task slots are its servers, and the other slots are its CPU workers.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.training import ParameterServerTraining
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Scheduler


@dataclass(frozen=True)
class ParameterServerCost:
    """Prices of jobs trained with parameter servers."""

    name: ClassVar[str] = "parameter-server"
    workload: PsJobs  # the jobs, in the order of the job table
    restart: float = 1.0  # how many times as long as the checkpoint of its model a restart of a job takes

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        """The jobs with the limits of their gangs and their durations as requested.

        Raises:
            InputError: the tables differ, or a job cannot run on the cluster, naming the job.
        """
        own = self.workload
        if len(jobs) != len(own):
            raise InputError(f"the job table has {len(jobs)} jobs, the cost model {len(own)}", field="workload")
        names = np.array([models()[i].name for i in own.model], dtype=object)
        slots = int(cluster.gpus[~cluster.is_gpu].sum())
        tasks = own.servers + np.where(own.on_cpu, own.workers, 0)
        for wrong, rule, field in (
            (jobs.application != names, "has no model, or another one than in the cost model", "application"),
            (tasks > slots, f"asks for more CPU task slots than the cluster has ({slots})", "cpu_tasks"),
        ):
            if wrong.any():
                raise InputError(f"job {jobs.job_id[int(np.argmax(wrong))]} {rule}", field=field)
        most = np.where(own.on_cpu, 0, own.most_workers)
        gpus = np.where(own.on_cpu, 0, own.workers)
        return replace(
            jobs,
            gpus=gpus,
            min_gpus=np.minimum(gpus, 1),
            max_gpus=most,
            cpu_tasks=tasks,
            duration_s=own.steps * own.requested_step_s(),
        )

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table with steps as the work, each job on the tasks that its user requested."""
        checkpoint = np.array([models()[i].checkpoint_s for i in self.workload.model])
        return price_table(
            jobs,
            cluster,
            work=self.workload.steps,
            base_s=self.workload.requested_step_s(),
            restart_s=self.restart * checkpoint,
        )

    def train(
        self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: Scheduler, forecast: Forecast
    ) -> ParameterServerTraining:
        """The training of this run, which writes its price rows. Errors of prediction are those of the workload.

        Raises:
            InputError: for any other forecast.
        """
        if not forecast.is_exact:
            raise InputError("a workload with parameter servers has predictions of its own", field="forecast")
        return ParameterServerTraining(self.workload, cluster, prices)
