"""Reading the measured profiles (`sia-profile-*` of data/sources.tsv), or their stand-ins.

`placements-TYPE.csv` has one digit per node, so at most nine GPUs on a node; `validation-BATCH.csv` one row per epoch.
If any file of an application is not available, its whole profile comes from our fits (`rarlib.cost.goodput.standin`).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.cost.goodput import standin
from rarlib.cost.goodput.applications import APPLICATIONS, TYPES, application
from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.model.errors import InputError
from rarlib.traces.archive import member_bytes
from rarlib.traces.places import mirrors, raw_folder
from rarlib.traces.profile_sets import ProfileSet
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import read_sources
from rarlib.traces.table import RawTable

PREFIX = "sia-profile-"
"""Prefix of the sources' names; there is one source per application."""

_COUNTS, _MOST_COUNTED, _GREATEST = ("num_nodes", "num_replicas", "local_bsz"), 1e9, 1e100
"""Columns of whole numbers, the greatest of these, and the greatest of all numbers: squares of them are finite."""
_TIMES = ["local_bsz", "step_time", "sync_time"]
_ORIGINS = {theirs: ours for ours, theirs in TYPES.items()}


def profile_source(name: str) -> str:
    """Source of an application's profile."""
    return PREFIX + name.replace("_", "-")


def load_profiles(names: tuple[str, ...] = tuple(APPLICATIONS), network: bool | None = None) -> Profiles:
    """Profiles of the named applications; without `network`, downloads follow RARLIB_OFFLINE.

    Raises:
        InputError: an unknown application, a damaged file, or one that breaks a rule.
    """
    return _found_in(names, network, (raw_folder(), *mirrors()))


@cache
def _found_in(names: tuple[str, ...], network: bool | None, folders: tuple[Path, ...]) -> Profiles:
    """See `load_profiles`. `obtain` searches the folders of the environment; the argument keeps their results apart."""
    steps: dict[tuple[str, str], Steps] = {}
    gradients: dict[str, Gradients] = {}
    facts: dict[str, Any] = {}
    origins = set()
    for name in names:
        application(name)
        files = {Path(source.file).stem: source for source in read_sources()[profile_source(name)]}
        found = {stem: obtain(source, network) for stem, source in files.items()}
        missing = any(each.path is None for each in found.values())
        if missing:
            ours = standin.profiles(name)
            steps |= ours.steps
            gradients |= ours.gradients
        else:
            paths = {stem: each.path for stem, each in found.items() if each.path is not None}
            steps |= {(name, kind): rows for kind, rows in _steps(paths).items()}
            gradients[name] = _gradients(paths, application(name).epochs)
            origins |= {each.origin for each in found.values()}
        digests = {} if missing else {stem: source.digest for stem, source in files.items()}
        facts[name] = {"kind": "fitted" if missing else "measured", "standin": missing, "digests": digests}
    anything = any(each["standin"] for each in facts.values())
    origin = "stand-in" if anything else ",".join(sorted(origins))
    return Profiles(steps, gradients, {"standin": anything, "profiles": facts, "origin": origin})


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """All profiles of a set; `settings` has `sources`, a list of `sia-profile-*`.

    Raises:
        InputError: see `load_profiles`; an unknown source.
    """
    known = {profile_source(each): each for each in APPLICATIONS}
    for source in settings["sources"]:
        if source not in known:
            raise InputError(f"unknown profile {source!r}; known: {', '.join(known)}", file=name, field="sources")
    loaded = load_profiles(tuple(known[source] for source in settings["sources"]))
    facts = {key: value for key, value in loaded.facts.items() if key != "origin"}
    return ProfileSet(loaded.to_json(), {"name": name, **facts}, loaded.facts["origin"])


def _steps(paths: Mapping[str, Path]) -> dict[str, Steps]:
    out = {}
    for stem, path in paths.items():
        table, _, theirs = stem.partition("-")
        if table == "placements":
            out[_ORIGINS[theirs]] = _join(_placements(path), _scalability(paths[f"scalability-{theirs}"]))
    return out


def _placements(path: Path) -> Steps:
    rows = _table(path, ["placement", *_TIMES], text=["placement"])
    digits = rows["placement"]
    ok = digits.str.fullmatch("[1-9]+")
    _require(ok, "must be one digit from 1 to 9 per node", path, "placement")
    shapes = tuple(tuple(int(digit) for digit in each) for each in digits)
    nodes, replicas = np.array([len(s) for s in shapes]), np.array([sum(s) for s in shapes])
    return Steps(shapes, nodes, replicas, *_times(rows, path))


def _scalability(path: Path) -> Steps:
    rows = _table(path, ["num_nodes", "num_replicas", *_TIMES])
    nodes, replicas = rows["num_nodes"].to_numpy(np.int64), rows["num_replicas"].to_numpy(np.int64)
    _require(pd.Series((nodes >= 1) & (replicas >= nodes)), "needs a GPU on every node", path, "num_replicas")
    return Steps(((),) * len(rows), nodes, replicas, *_times(rows, path))


def _times(rows: pd.DataFrame, path: Path) -> tuple[Any, Any, Any]:
    local, step, sync = (rows[name].to_numpy() for name in _TIMES)
    _require(pd.Series((local >= 1) & (local == np.floor(local))), "must be a whole number from 1", path, "local_bsz")
    _require(pd.Series(step > 0), "must be above 0", path, "step_time")
    _require(pd.Series(sync >= 0), "must not be negative", path, "sync_time")
    return local.astype(np.int64), step.astype(np.float64), sync.astype(np.float64)


def _join(one: Steps, other: Steps) -> Steps:
    names = ("nodes", "replicas", "local", "step_s", "sync_s")
    arrays = (np.concatenate([getattr(one, name), getattr(other, name)]) for name in names)
    return Steps(one.shape + other.shape, *arrays)


def _gradients(paths: Mapping[str, Path], epochs: int) -> Gradients:
    by_batch = {}
    for stem, path in paths.items():
        table, _, batch = stem.partition("-")
        if table == "validation":
            rows = _table(path, ["progress", "iteration", "grad_sqr", "grad_var"])
            if len(rows) < epochs:
                raise InputError(f"needs a row for each of {epochs} epochs, found {len(rows)}", file=path)
            _require(rows["progress"].diff().fillna(1.0) > 0, "must ascend", path, "progress")
            _require(rows["grad_sqr"] + rows["grad_var"] > 0, "must have a sum with grad_var above 0", path, "grad_sqr")
            by_batch[int(batch)] = rows[:epochs].to_numpy(np.float64)
    batches = sorted(by_batch)
    cube = np.array([by_batch[batch] for batch in batches])
    return Gradients(np.array(batches, np.int64), *(np.ascontiguousarray(cube[:, :, i]) for i in range(4)))


def _table(path: Path, columns: list[str], text: Iterable[str] = ()) -> pd.DataFrame:
    table = RawTable.parse(member_bytes(path), str(path), text=text).require(*columns)
    if not len(table):
        raise InputError("holds no measurement", file=path)
    for name in columns:
        if name not in text:
            most = _MOST_COUNTED if name in _COUNTS else _GREATEST
            table.fail(~(np.abs(table.numbers(name)) <= most), name, f"must be at most {most:g} in size")
    values = {name: table.text(name) if name in text else table.numbers(name) for name in columns}
    return pd.DataFrame(values)


def _require(ok: "pd.Series[bool]", rule: str, path: Path, field: str) -> None:
    if not ok.all():
        raise InputError(rule, file=path, row=int(np.argmin(ok.to_numpy())) + 2, field=field)
