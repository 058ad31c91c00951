"""Reader of cases, one JSON object a line (docs/fabric.md lists the keys); errors name file, row and field."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarlib.fabric.case import SendingJob, SharedCase
from rarlib.fabric.described import described_shape
from rarlib.fabric.entry import Entry
from rarlib.fabric.routing import RING_KINDS, Flow, ecmp, ring_flows
from rarlib.fabric.shapes import Shape
from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_text, json_value

_LABELS = ("kind", "periods", "phases")
"""Keys that say how a case was made; they change nothing."""
_CASE_KEYS = ("id", "leave", "alpha", "fabric", "links", "jobs", *_LABELS)
_RING_KEYS = ("servers", "ring", "bytes")
_JOB_KEYS = ("id", "compute_s", "start_s", "iterations", "flows", "noise", "seed", "priority", *_RING_KEYS)
_MOST_BYTES, _MOST_GBPS, _MOST_TIMES, MOST_SEED = 1e18, 1e9, 10**6, 2**64 - 1


def read_cases(path: Path) -> list[SharedCase]:
    """Cases of a file, in its order.

    Raises:
        InputError: naming file, row and field.
    """
    rows: dict[str, int] = {}
    found = []
    for row, line in enumerate(file_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        entry = Entry(_object(line, path, row), path, row)
        case = _case(entry)
        if case.id in rows:
            raise entry.error(f"row {rows[case.id]} has the same id", "id")
        rows[case.id] = row
        found.append(case)
    if not found:
        raise InputError("must hold at least one instance, a JSON object on a line of its own", file=path)
    return found


def _object(line: str, path: Path, row: int) -> Any:
    try:
        return json_value(line, file=path)
    except InputError as error:
        raise InputError(error.rule, file=path, row=row) from None


def _case(entry: Entry) -> SharedCase:
    entry.refuse_unknown(_CASE_KEYS)
    fabric = entry.part("fabric") if "fabric" in entry.value else None
    shape = described_shape(fabric) if fabric is not None else None
    stated = entry.part("links") if "links" in entry.value else None
    links = {name: stated.number(name, low=0.0, above=True, high=_MOST_GBPS) for name in stated.value} if stated else {}
    seed = fabric.whole("ecmp_seed", low=0, high=MOST_SEED, default=0) if fabric is not None else 0
    jobs = []
    for number, job in enumerate(entry.parts("jobs", limits.SHARING_JOBS)):
        if "flows" in job.value:
            flows = _stated_flows(job, links)
        else:
            flows, crossed = _routed_flows(job, number, shape, seed)
            links = links | crossed | links  # stated capacities hold
        jobs.append(_job(job, flows))
    if not jobs or len({job.id for job in jobs}) < len(jobs):
        raise entry.error("must be jobs, at least one, each with an id of its own", "jobs")
    entry.check(sum(job.iterations for job in jobs), limits.SHARING_ITERATIONS, "jobs")
    alpha = entry.number("alpha", low=0.0, high=1e6, default=0.0)
    return SharedCase(entry.text("id"), links, jobs, alpha, entry.flag("leave"))


def _job(entry: Entry, flows: tuple[Flow, ...]) -> SendingJob:
    entry.refuse_unknown(_JOB_KEYS)
    job = SendingJob(
        id=entry.text("id"),
        compute_s=entry.number("compute_s", low=0.0, high=limits.SECONDS.most),
        start_s=entry.number("start_s", low=0.0, high=limits.SECONDS.most, default=0.0),
        iterations=entry.whole("iterations", low=1, high=limits.SHARING_ITERATIONS.most),
        flows=flows,
        priority=entry.whole("priority", low=-(2**31), high=2**31, default=0),
        noise=entry.number("noise", low=0.0, high=0.999, default=0.0),
        seed=entry.whole("seed", low=0, high=MOST_SEED, default=0),
    )
    if job.compute_s == 0.0 and not any(flow.bytes_ for flow in flows):
        raise entry.error("an iteration must take time: compute_s or bytes must be above 0")
    return job


def _stated_flows(job: Entry, links: Mapping[str, float]) -> tuple[Flow, ...]:
    """Flows as the file states them."""
    flows = []
    for entry in job.parts("flows", limits.SHARING_FLOWS):
        entry.refuse_unknown(("bytes", "links"))
        crossed = entry.part("links")
        if not crossed.value:
            raise entry.error("a flow must cross at least one link", "links")
        for link in crossed.value:
            if link not in links:
                raise crossed.error("the instance's links do not hold it", link)
        times = {link: crossed.whole(link, low=1, high=_MOST_TIMES) for link in crossed.value}
        flows.append(Flow(entry.number("bytes", low=0.0, high=_MOST_BYTES), times))
    return tuple(flows)


def _routed_flows(job: Entry, number: int, shape: Shape | None, seed: int) -> tuple[tuple[Flow, ...], dict[str, float]]:
    """Flows of a ring over the servers of a fabric, and the links that they cross."""
    if shape is None or shape.servers == 0:
        raise job.error("is missing, and there is no fabric with servers to route the job's ring over", "flows")
    servers = job.wholes("servers", low=0, high=shape.servers - 1)
    job.check(len(servers), limits.SHARING_FLOWS, "servers")
    if not servers or len(set(servers)) < len(servers):
        raise job.error("must be servers, at least one, each once", "servers")
    ring = job.text("ring", "lockstep")
    if ring not in RING_KINDS:
        raise job.error(f"must be one of {', '.join(RING_KINDS)}", "ring")
    sent = job.number("bytes", low=0.0, high=_MOST_BYTES)
    return ring_flows(ecmp(shape, seed), number, servers, ring, sent)
