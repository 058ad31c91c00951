"""What a Slurm says of its nodes and jobs, read anew whenever it is asked.

Users choose names and comments of their jobs, so nothing is read from text in which theirs could pass for Slurm's.
"""

import re
import secrets
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple, Protocol

from artifact.slurm.notation import NUMBER, gres_count, host_names, id_count, limit_seconds, point_in_time, tres_count
from artifact.slurm.words import Note, Place, Wish, read_note, read_wish
from rarlib.model.errors import InputError, shown

CPU_UNIT, GPU_UNIT = "cpu", "gpu"
GPU_UNITS = (CPU_UNIT, GPU_UNIT)
"""What one GPU of a gang is in Slurm: a CPU, or a generic resource of the name `gpu`."""

_FIELDS = "|%i|%T|%r|%Q|%C|%P|%N|%S|%V|%l|%E|%k"
_HELD = ("JobHeldUser", "job requeued in held state", "job_requeued_in_held_state")
_RUNS = ("RUNNING", "CONFIGURING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT")
_UP = ("IDLE", "MIXED", "ALLOCATED", "COMPLETING")
_COUNT = re.compile(r"[0-9]{1,9}")
_TYPE = re.compile(r"(?:^|,)gpu:([A-Za-z][\w-]{0,63}):[0-9]+")
_HOLDS = re.compile(r"^     Nodes=(\S+) CPU_IDs=(\S*) Mem=\S* GRES=(.*)$", re.MULTILINE)


class Caller(Protocol):
    """Calls a client program of Slurm (`artifact.slurm.client.Slurm.call`)."""

    def call(self, program: str, *arguments: str) -> str:
        """What the program prints."""


class SlurmNode(NamedTuple):
    """A node of the partition: its name, its GPUs, their type, and whether new jobs may start on it."""

    name: str
    gpus: int
    gpu_type: str
    up: bool


class QueuedJob(NamedTuple):
    """A job that has not ended.

    Attributes:
        gpus: GPUs it asks for or holds.
        submit: seconds since 1970; Slurm counts from the last time it was requeued.
        start: when it was started; 0: it does not run.
        limit_s: its limit; a year if it has none.
        place: what it holds; empty: it does not run.
        held: whether it waits to be released.
        leaving: whether it has been stopped and its processes have not ended yet.
    """

    id: int
    gpus: int
    submit: float
    start: float
    limit_s: float
    place: Place
    held: bool
    leaving: bool
    wish: Wish
    note: Note


class Queue(NamedTuple):
    """A Slurm at one moment.

    Attributes:
        nodes: nodes of the partition, without the GPUs that jobs of other partitions hold there.
        jobs: jobs of the partition by number, as far as they may be driven.
        left_alone: why a job is none of the driver's business, by number as Slurm writes it.
    """

    nodes: tuple[SlurmNode, ...]
    jobs: tuple[QueuedJob, ...]
    left_alone: dict[str, str]


class QueueReader:
    """Reads the nodes and jobs of one partition."""

    def __init__(self, slurm: Caller, partition: str, unit: str) -> None:
        self._slurm, self._partition, self._unit = slurm, partition, unit
        self._places: dict[tuple[int, float], Place | None] = {}

    def read(self) -> Queue:
        """The present state.

        Raises:
            InputError: if a program of Slurm fails or lists a job twice, or the partition has no node with a GPU.
        """
        token = secrets.token_hex(16)  # nobody can have written it into a name or comment
        entries = split_entries(self._slurm.call("squeue", "--noheader", f"--format={token}{_FIELDS}"), token)
        wide = self._slurm.call("squeue", "--noheader", "--Format=JobID:20,tres-alloc:300,admin_comment:1500")
        more = {row[:20].strip(): (row[20:320].strip(), row[320:].strip()) for row in wide.splitlines()}
        nodes = read_nodes(self._slurm.call("scontrol", "show", "node", "-o"), self._partition, self._unit)
        jobs: list[QueuedJob] = []
        others: dict[str, int] = {}
        alone: dict[str, str] = {}
        seen: set[tuple[int, float]] = set()
        for entry in entries:
            own = entry.partition == self._partition
            tres, note = more.get(entry.id, ("", ""))
            place: Place | None = ()
            if entry.state in _RUNS and NUMBER.fullmatch(entry.id):
                seen.add((int(entry.id), entry.start))
                place = self._place(int(entry.id), entry)
            why = _none_of_ours(entry, place) if own else "of another partition"
            if why is None and place is not None:
                gpus = entry.cpus if self._unit == CPU_UNIT else tres_count(tres, "gres/gpu")
                job = _job(entry, gpus, place, read_note(note))
                jobs.append(
                    job if self._unit == CPU_UNIT else job._replace(wish=job.wish._replace(least=None, most=None))
                )
            elif entry.state in _RUNS:
                for name, gpus in place if place else ((name, 1 << 30) for name in host_names(entry.nodes)):
                    others[name] = others.get(name, 0) + gpus
            if own and why:
                alone[entry.id] = why
        self._places = {key: place for key, place in self._places.items() if key in seen}
        left = [_without(node, others.get(node.name, 0), jobs) for node in nodes]
        if not any(node.gpus for node in left):
            raise InputError(f"no node with a {self._unit} for us is up", file=f"partition {self._partition}")
        jobs.sort(key=lambda job: job.id)
        if twice := [one.id for one, other in pairwise(jobs) if one.id == other.id]:
            raise InputError(f"lists job {twice[0]} twice", file="squeue")
        return Queue(tuple(left), tuple(jobs), alone)

    def _place(self, job: int, entry: "_Entry") -> Place | None:
        """What a running job holds; None if that cannot be told."""
        key = (job, entry.start)
        if key not in self._places:
            said = self._slurm.call("scontrol", "show", "job", "-d", str(job))
            self._places[key] = read_place(said, entry.nodes, entry.cpus, self._unit)
        return self._places[key]


class _Entry(NamedTuple):
    """A job as squeue prints it."""

    id: str
    state: str
    reason: str
    priority: str
    cpus: int
    partition: str
    nodes: str
    start: float
    submit: float
    limit_s: float
    dependency: str
    comment: str


def split_entries(text: str, token: str) -> list[_Entry]:
    """Jobs in the output of squeue with `_FIELDS` behind a token; a comment may hold anything but the token.

    Raises:
        InputError: for a number of CPUs that is none.
    """
    entries = []
    for part in text.split(token)[1:]:
        _, *fields = part.rstrip("\n").split("|", 12)
        if len(fields) == len(_Entry._fields):
            name, state, reason, priority, cpus, partition, nodes, start, submit, limit, dependency, comment = fields
            times = (point_in_time(start), point_in_time(submit), limit_seconds(limit))
            many = _whole(cpus, "squeue", "%C")
            entries.append(_Entry(name, state, reason, priority, many, partition, nodes, *times, dependency, comment))
    return entries


def read_nodes(text: str, partition: str, unit: str) -> list[SlurmNode]:
    """Nodes of a partition in the output of `scontrol show node -o`.

    Raises:
        InputError: for a node without name, state or CPUs.
    """
    nodes = []
    for line in text.splitlines():
        said = dict(word.partition("=")[::2] for word in reversed(line.split()))
        if partition in said.get("Partitions", "").split(","):
            name, state, cpus = (_value(said, word) for word in ("NodeName", "State", "CPUTot"))
            whole = _whole(cpus, "scontrol show node", "CPUTot")
            gpus = whole if unit == CPU_UNIT else tres_count(said.get("CfgTRES", ""), "gres/gpu")
            kind = _TYPE.search(said.get("Gres", "")) if unit == GPU_UNIT else None
            up = all(each.rstrip("*") in _UP for each in state.split("+"))
            nodes.append(SlurmNode(name, gpus, kind[1] if kind else "gpu", up and not state.endswith("*")))
    return nodes


def _value(said: Mapping[str, str], word: str) -> str:
    if not said.get(word):
        raise InputError("missing from a node", file="scontrol show node", field=word)
    return said[word]


def _whole(text: str, program: str, field: str) -> int:
    if not _COUNT.fullmatch(text):
        raise InputError(f"must be a whole number, found {shown(text)}", file=program, field=field)
    return int(text)


def read_place(text: str, nodes: str, cpus: int, unit: str) -> Place | None:
    """What a job holds, from `scontrol show job -d`.

    None if that is not clear: a name or comment with the like of Slurm's lines in it makes it unclear on purpose.
    """
    held: dict[str, int] = {}
    total, times = 0, 0
    try:
        for names, ids, gres in _HOLDS.findall(text):
            for name in host_names(names):
                count = id_count(ids)
                total, times = total + count, times + 1
                held[name] = count if unit == CPU_UNIT else gres_count(gres)
        unclear = total != cpus or times != len(held) or set(held) != set(host_names(nodes))
    except InputError:
        return None
    return None if unclear else tuple((name, gpus) for name, gpus in held.items() if gpus)


def _none_of_ours(entry: _Entry, place: Place | None) -> str | None:
    """Why a job of the partition is left alone; None if it is driven, empty if it is not in the system."""
    waits = entry.state == "PENDING"
    if not NUMBER.fullmatch(entry.id):
        return "a part of a job array or of a heterogeneous job"
    if place is None:
        return "its name or comment imitates Slurm's own words, so nobody can tell which GPUs it holds"
    if waits and entry.priority == "0" and entry.reason not in _HELD:
        return "held by somebody else"
    stopped = entry.state == "COMPLETING" and entry.priority == "0"
    submitted = waits and entry.dependency in ("", "(null)")
    return None if entry.state in _RUNS or stopped or submitted else ""


def _job(entry: _Entry, gpus: int, place: Place, note: Note) -> QueuedJob:
    held = entry.priority == "0" and entry.state not in _RUNS
    start, leaving = entry.start if entry.state in _RUNS else 0.0, entry.state == "COMPLETING"
    wish = read_wish(entry.comment)
    return QueuedJob(int(entry.id), gpus, entry.submit, start, entry.limit_s, place, held, leaving, wish, note)


def _without(node: SlurmNode, others: int, jobs: Iterable[QueuedJob]) -> SlurmNode:
    """A node as far as it is ours: no more than what our jobs hold there if it takes no new ones."""
    if node.up:
        return node._replace(gpus=max(node.gpus - others, 0))
    return node._replace(gpus=sum(gpus for job in jobs for name, gpus in job.place if name == node.name))
