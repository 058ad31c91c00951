"""A timetable: gangs start when and where it says, whatever else happens."""

from collections.abc import Iterable, Sequence

from rarlib.model.decisions import Decision, Start, Wake
from rarlib.model.scheduler import View
from tests.named import Named


class Timetable(Named):
    """Releases a schedule that was found elsewhere, so that the simulator says what it is worth.

    Args:
        starts: start of each job, s (slots), shape (jobs,).
        placements: GPUs of each job on each node, shape (jobs, nodes).
    """

    def __init__(self, starts: Sequence[float], placements: Sequence[Sequence[int]]) -> None:
        self._starts, self._placements = starts, placements

    def decide(self, view: View) -> Iterable[Decision]:
        """Start what is due, and wake up for what comes next."""
        later = []
        for job in view.waiting:
            if self._starts[job.row] > view.now_s:
                later.append(self._starts[job.row])
            else:
                counts = self._placements[job.row]
                yield Start(job.row, tuple((node, count) for node, count in enumerate(counts) if count))
        if later:
            yield Wake(min(later))
