"""What a stand-in profile must satisfy before jobs are drawn from it."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.model.number_array import number_array, whole_number
from rarlib.traces.formats.workload import GPU_HOURS

if TYPE_CHECKING:
    from rarlib.traces.profile import TraceStatistics

_MOST = 1e12
"""The greatest count or share."""


def check_profile(profile: "TraceStatistics", file: object) -> None:
    """Refuse statistics that nothing can be drawn from.

    Raises:
        InputError: naming the key and the rule that it breaks.
    """
    for name in ("about", "made_by", "starts"):
        if not isinstance(getattr(profile, name), str):
            raise InputError(f"must be text, found {shown(getattr(profile, name))}", file=file, field=name)
    for name in ("made_from", "arrivals", "statuses", "durations"):
        if not isinstance(getattr(profile, name), dict):
            raise InputError(f"must be a mapping, found {shown(getattr(profile, name))}", file=file, field=name)
    whole_number(profile.jobs, low=1, high=limits.ROWS.most, file=file, field="jobs")
    whole_number(profile.bin_s, low=1, high=10**9, file=file, field="bin_s")
    if profile.starts:
        try:
            np.datetime64(profile.starts, "s")
        except ValueError:
            raise InputError(f"must be a time, found {shown(profile.starts)}", file=file, field="starts") from None
    if profile.statuses:
        _shares(list(profile.statuses.values()), file, "statuses")
    gangs = _check_kinds(profile, file)
    _check_arrivals(profile, gangs, file)
    _check_gaps(profile, file)
    _check_durations(profile, gangs, file)


def _check_kinds(profile: "TraceStatistics", file: object) -> np.ndarray:
    """GPUs of each kind that has jobs."""
    rows = profile.kinds
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 4 for row in rows):
        raise InputError("must be lists of virtual cluster, application, GPUs and jobs", file=file, field="kinds")
    if not all(isinstance(text, str) and len(text) <= limits.TEXT.most for row in rows for text in row[:2]):
        raise InputError("must name virtual clusters and applications", file=file, field="kinds")
    if not profile.durations and not all(row[1] in GPU_HOURS for row in rows):
        raise InputError(f"without durations, applications are {', '.join(GPU_HOURS)}", file=file, field="kinds")
    gpus = [whole_number(row[2], low=1, high=limits.GPUS.most, file=file, field="kinds") for row in rows]
    jobs = _shares([row[3] for row in rows], file, "kinds")
    return np.array(gpus)[jobs > 0]


def _check_arrivals(profile: "TraceStatistics", gangs: np.ndarray, file: object) -> None:
    if not profile.arrivals:
        return
    counts = number_array(list(profile.arrivals.values()), 2, file=file, field="arrivals", low=0.0, high=_MOST)
    if not counts.sum() > 0.0:
        raise InputError("must hold a job", file=file, field="arrivals")
    classes = _classes(profile.arrivals, file, "arrivals")
    for low, high in zip(classes, [*classes[1:], np.inf], strict=True):
        if not ((gangs >= low) & (gangs < high)).any():
            raise InputError(f"no kind has jobs of {low} GPUs or more, as arrivals do", file=file, field="kinds")


def _check_gaps(profile: "TraceStatistics", file: object) -> None:
    if not profile.gaps:
        return
    rows = number_array(profile.gaps, 2, file=file, field="gaps", low=0.0, high=_MOST)
    begin = number_array(profile.gap_from, 1, file=file, field="gap_from", low=0.0, high=_MOST)
    if rows.shape[1] < 2 or len(begin) != len(rows) or begin[0] > 1 or (np.diff(begin) <= 0).any():
        raise InputError("must ascend from 1 or less, one entry for each row of gaps", file=file, field="gap_from")


def _check_durations(profile: "TraceStatistics", gangs: np.ndarray, file: object) -> None:
    if not profile.durations:
        return
    classes = _classes(profile.durations, file, "durations")
    if classes[0] > gangs.min():
        raise InputError("must begin with the smallest gang", file=file, field="durations")
    for name, entry in profile.durations.items():
        field = f"durations.{name}"
        table = number_array(entry, 2, low=0.0, high=limits.SECONDS.most, file=file, field=field)
        if len(table) != 2 or table[0].max() > 1.0 or (np.diff(table, axis=1) < 0).any():
            raise InputError("must be ascending probabilities and quantiles", file=file, field=field)


def _classes(table: dict[str, Any], file: object, field: str) -> list[int]:
    """Smallest gangs of the classes, which must ascend."""
    if not all(key.isascii() and key.isdigit() and len(key) < 10 for key in table):
        raise InputError("needs numbers of GPUs as keys", file=file, field=field)
    classes = [int(key) for key in table]
    if any(b <= a for a, b in pairwise(classes)):
        raise InputError("needs ascending numbers of GPUs as keys", file=file, field=field)
    return classes


def _shares(counts: Any, file: object, field: str) -> np.ndarray:
    array = number_array(counts, 1, file=file, field=field, low=0.0, high=_MOST)
    if not array.sum() > 0.0:
        raise InputError("must not be 0 throughout", file=file, field=field)
    return array
