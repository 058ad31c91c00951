"""Decisions that turn the current placements into the wanted ones: stops come first, so that their GPUs are free."""

from collections.abc import Iterator, Mapping

from rarlib.model.decisions import Decision, Placement, Start, Stop
from rarlib.model.scheduler import View


def exchange(view: View, wanted: Mapping[int, Placement]) -> Iterator[Decision]:
    """Stop every running job whose placement changes, then start jobs on their new placements in the order of `wanted`.

    Args:
        view: the view of the current pass.
        wanted: placement of every job that should run from now on.
    """
    held = {running.job.row: running.placement for running in view.running}
    yield from (Stop(job) for job, placement in held.items() if wanted.get(job) != placement)
    yield from (Start(job, placement) for job, placement in wanted.items() if held.get(job) != placement)
