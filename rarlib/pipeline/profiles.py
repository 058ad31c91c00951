"""Layer profiles by name: a file, PipeDream's measured ones, or our analytic ones.

`pipedream-vgg16` is the profile that PipeDream's authors measured (`data/sources.tsv`); where its file is not
available, the analytic profile of the same model stands in. `vgg16` is the analytic profile itself.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import LayerGraph, read_graph, to_json
from rarlib.pipeline.zoo.models import MODELS, profile
from rarlib.pipeline.zoo.network import TITAN_X, V100
from rarlib.traces.profile_sets import ProfileSet
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import read_sources

DEVICES = {"v100": V100, "titan-x": TITAN_X}
"""GPUs that analytic profiles are computed for."""

MEASURED = "pipedream-"
"""Prefix of the sources that are measured layer profiles."""


class Profile(NamedTuple):
    """A layer graph and where it comes from."""

    graph: LayerGraph  # the model
    name: str  # the path's last part or the name asked for
    kind: str  # `measured`, `analytic`, or `file` for a file of the user's
    origin: str  # `raw`, `mirror`, `download`, `file` or `analytic`
    standin: bool = False  # whether an analytic profile stands in for a measured one
    digest: str = ""  # checksum of the measured file; empty for others

    @property
    def facts(self) -> dict[str, Any]:
        """All but the graph, for provenance."""
        return {key: value for key, value in self._asdict().items() if key != "graph"}


def load_profile(name: str, network: bool | None = None) -> Profile:
    """A profile by path or name; a measured one may be downloaded with `network` (None: see `obtain`).

    Raises:
        InputError: no such file or name, a line that breaks a rule, or a measured profile that is not available and has
            no stand-in.
    """
    if Path(name).is_file():
        return Profile(read_graph(Path(name)), Path(name).name, "file", "file")
    if name in MODELS:
        return Profile(profile(name), name, "analytic", "analytic")
    if not (name.startswith(MEASURED) and name in read_sources()):
        measured = [source for source in read_sources() if source.startswith(MEASURED)]
        raise InputError(
            f"no such file, and no profile of this name; known: {', '.join([*MODELS, *measured])}", file=name
        )
    source = read_sources()[name][0]
    found = obtain(source, network)
    if found.path is not None:
        return Profile(read_graph(found.path), name, "measured", found.origin, digest=source.digest)
    model = name.removeprefix(MEASURED)
    if model not in MODELS:
        raise InputError(f"is {found.origin}, and no analytic profile stands in for it", file=name)
    return Profile(profile(model), name, "analytic", "analytic", standin=True)


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """All profiles of a set: `sources` (measured) and `analytic` (model -> GPU it is computed for).

    Raises:
        InputError: see `load_profile`; an unknown GPU.
    """
    loaded = {source: load_profile(source) for source in settings["sources"]}
    for model, device in settings["analytic"].items():
        if device not in DEVICES:
            raise InputError(f"unknown GPU {device!r}; known: {', '.join(DEVICES)}", file=name, field=model)
        loaded[model] = Profile(profile(model, device=DEVICES[device]), model, f"analytic, {device}", "analytic")
    standin = any(each.standin for each in loaded.values())
    origins = {each.origin for each in loaded.values() if each.kind == "measured"}
    return ProfileSet(
        {key: {"kind": each.kind, **to_json(each.graph)} for key, each in loaded.items()},
        {
            "name": name,
            "standin": standin,
            "profiles": {
                key: {"kind": each.kind, "standin": each.standin, "digest": each.digest} for key, each in loaded.items()
            },
        },
        "stand-in" if standin else ",".join(sorted(origins)),
    )
