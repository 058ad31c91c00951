"""`rarlib drive`: a scheduler of ours decides for a real Slurm."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarlib.cli.options import Contention, Cost, SchedulerName, read_params
from rarlib.model.errors import InputError, shown

if TYPE_CHECKING:
    from artifact.slurm.drive import SlurmDriver


def drive(
    scheduler: SchedulerName,
    cluster_name: str = typer.Option(..., help="ClusterName of the Slurm; a Slurm of another name is not touched."),
    partition: str = typer.Option(..., help="The partition whose jobs are driven."),
    slurm: bool = typer.Option(
        False, "--slurm", help="Drive the Slurm that this machine (or SLURM_CONF) is set up for."
    ),
    commit: bool = typer.Option(
        False,
        "--commit",
        help="Carry decisions out. Without it, the orders of one step are printed and nothing is done.",
    ),
    param: list[str] = typer.Option([], help="name=value, see `rarlib schedulers NAME`; may be repeated."),
    cost: Cost = None,
    contention: Contention = None,
    unit: str = typer.Option("cpu", help="What a GPU is in Slurm: cpu, or gpu (a generic resource of that name)."),
    interval: float = typer.Option(1.0, min=0.1, max=3600.0, help="Seconds between two steps."),
    restart: float | None = typer.Option(
        None, min=0.0, help="Seconds that a stopped job is believed to lose; by default that of the cost model."
    ),
    patience: float = typer.Option(
        60.0, min=1.0, help="Seconds after which a job that was released and does not start is held again."
    ),
    until_empty: bool = typer.Option(False, "--until-empty", help="End when no job is left."),
    seed: int = typer.Option(0, min=0, help="Seed of randomised schedulers."),
    log: Path = typer.Option(Path("slurm-drive.log"), help="File to which every command and decision is appended."),
) -> None:
    """Let a scheduler of ours hold, release and requeue the jobs of a real Slurm (docs/slurm.md)."""
    from artifact.slurm.client import Slurm
    from artifact.slurm.drive import Settings, SlurmDriver, keep_driving, require_cluster
    from artifact.slurm.logged import Logged
    from artifact.slurm.queue import GPU_UNITS
    from rarlib.cli.instance import cost_model
    from rarlib.cli.text import say
    from rarlib.discovery import make_scheduler

    params = read_params(param)
    make_scheduler(scheduler, params)
    model = cost_model(cost, contention)
    if unit not in GPU_UNITS:
        raise InputError(f"unknown unit {shown(unit)}; known: {', '.join(GPU_UNITS)}", file="--unit")
    if not slurm:
        raise InputError("jobs are driven on a Slurm only; say so", file="--slurm")
    settings = Settings(partition, unit, restart, patience, seed)
    with Logged(Slurm(), log) as logged:
        require_cluster(logged, cluster_name)
        driver = SlurmDriver(logged, lambda: make_scheduler(scheduler, params), model, settings)
        if not commit:
            _print_orders(driver)
            return
        try:
            keep_driving(driver, interval, say, until_empty=until_empty)
        except KeyboardInterrupt:
            say("interrupted; jobs go on, and a driver that is started again takes them over")


def _print_orders(driver: "SlurmDriver") -> None:
    """The orders of one step, which are not carried out."""
    import shlex

    from rarlib.cli.text import say

    due = driver.plan()
    for order in due:
        say(f"job {order.job}: {order.what}")
        say(*(f"    {shlex.join(command)}" for command in order.commands))
    for job, why in driver.left_alone.items():
        say(f"job {job} is left alone: {why}")
    say("nothing was done; --commit carries orders out" if due else "nothing is to be done")
