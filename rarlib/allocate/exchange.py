"""From the placements that jobs have to those that are wanted: what changes stops first and so frees its GPUs."""

from collections.abc import Iterator, Mapping

from rarlib.model.decisions import Decision, Placement, Start, Stop
from rarlib.model.scheduler import View


def exchange(view: View, wanted: Mapping[int, Placement]) -> Iterator[Decision]:
    """Stop every running job whose placement changes, then start, in the order of `wanted`, what is not there yet.

    Args:
        view: the pass.
        wanted: placement of every job that is to run.
    """
    held = {running.job.row: running.placement for running in view.running}
    yield from (Stop(job) for job, placement in held.items() if wanted.get(job) != placement)
    yield from (Start(job, placement) for job, placement in wanted.items() if held.get(job) != placement)
