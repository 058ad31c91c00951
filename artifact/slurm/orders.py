"""From decisions to commands: each changes one job, and whatever part of them was carried out, the next step goes on.

A start is noted in the job before it is released, with its nodes in the same command. A driver that finds a note and a
job that is still held releases it.
"""

from typing import NamedTuple

from artifact.slurm.queue import CPU_UNIT, QueuedJob
from artifact.slurm.situation import first_note
from artifact.slurm.words import Place

Command = tuple[str, ...]
"""A program of Slurm and its arguments."""


class Order(NamedTuple):
    """Commands about one job, and what they are for."""

    job: int
    what: str
    commands: tuple[Command, ...]


class Achieved(NamedTuple):
    """What a job has achieved up to now: seconds of its predicted length that are done, and GPU-seconds held."""

    done_s: float
    gpu_s: float


def hold(job: QueuedJob) -> Order:
    """Keep a job that was submitted without a hold from being started by Slurm."""
    return Order(job.id, "hold", (("scontrol", "uhold", str(job.id)),))


def start_on(job: QueuedJob, place: Place, now: float, unit: str) -> Order:
    """Give a waiting job its nodes; one whose processes have not ended yet is released in a later step."""
    note = first_note(job)._replace(at=place, since=now)
    what = f"start on {in_words(place)}"
    if job.leaving:
        return Order(job.id, what, (_update(job, note.text()),))
    return Order(job.id, what, (_update(job, note.text(), *_nodes(job, place, unit)), _release(job)))


def finish_start(job: QueuedJob, unit: str) -> Order:
    """Release a job whose start is noted but which is still held."""
    place = job.note.at
    return Order(job.id, f"start on {in_words(place)}", (_update(job, None, *_nodes(job, place, unit)), _release(job)))


def withdraw(job: QueuedJob) -> Order:
    """Hold a job again that has been released but not started."""
    note = first_note(job)._replace(at=(), since=None)
    return Order(job.id, "withdraw", (("scontrol", "uhold", str(job.id)), _update(job, note.text())))


def stop_job(job: QueuedJob, done: Achieved, now: float, then: Place = ()) -> Order:
    """Requeue a running job; `then`: where it is to start again."""
    note = first_note(job)._replace(
        done_s=done.done_s, gpu_s=done.gpu_s, until=now, at=then, since=now if then else None
    )
    what = f"move to {in_words(then)}" if then else "stop"
    return Order(job.id, what, (_update(job, note.text()), ("scontrol", "requeuehold", str(job.id))))


def in_words(place: Place) -> str:
    """A place in words: `n1:4 n2:1`."""
    return " ".join(f"{name}:{gpus}" for name, gpus in place)


def _update(job: QueuedJob, note: str | None, *more: str) -> Command:
    noted = [f"AdminComment={note}"] if note is not None else []
    return ("scontrol", "update", f"JobId={job.id}", *noted, *more)


def _nodes(job: QueuedJob, place: Place, unit: str) -> list[str]:
    """The nodes of a pending job; its begin time too, since Slurm lets a requeued job wait for two minutes."""
    gpus = sum(count for _, count in place)
    size = [f"NumTasks={gpus}", f"NumCPUs={gpus}-{gpus}"] if gpus != job.gpus and unit == CPU_UNIT else []
    names = ",".join(name for name, _ in place)
    return [f"ReqNodeList={names}", f"NumNodes={len(place)}-{len(place)}", *size, "StartTime=now"]


def _release(job: QueuedJob) -> Command:
    return ("scontrol", "release", str(job.id))
