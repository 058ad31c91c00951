"""`rarlib doctor`: whether this machine is fit for the reproduction, and how long that will take."""

import os
import platform
import shutil

import typer

from rarlib import __version__
from rarlib.model.project import ROOT
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import listed_sources


def doctor() -> None:
    """Print versions, cores, data state and predicted time; exit with 1 if packages deviate from the lock."""
    from rarlib.cli.text import say

    deviating = _deviations()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = shutil.disk_usage(ROOT).free / 1e9
    print(f"rarlib     {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    deviate = f"{len(deviating)} deviate from requirements.lock:" if deviating else "as locked"
    print(f"packages   {deviate}")
    for line in deviating:
        say(f"           {line}")
    print(f"cores      {cores}, {free:.0f} GB of disk free")
    for i, line in enumerate(_data()):
        say(f"{'' if i else 'data':10} {line}")
    print(f"time       {_time(cores)}")
    if deviating:
        raise typer.Exit(1)


def _deviations() -> list[str]:
    from artifact.run import environment

    return environment.deviations(ROOT / "requirements.lock")


def _data() -> list[str]:
    """A line for every trace and every profile set that the configuration names."""
    from artifact.run.settings import merged

    config = merged(ROOT / "config" / "config.yaml")
    found = {name: [name] for name in config["traces"]}
    found |= {name: section["sources"] for name, section in config["profiles"].items()}
    return [_state(name, sources) for name, sources in found.items()]


def _state(name: str, sources: list[str]) -> str:
    listed = listed_sources()
    files = [file for source in sources for file in listed.get(source, ())]
    found = [at_hand(file) for file in files] or [None]
    where = ", ".join(sorted({hit.origin for hit in found if hit is not None}))
    if None not in found:
        return f"{name}: recorded files at hand ({where})"
    return f"{name}: not at hand; downloaded when needed, else a stand-in is used (rarlib sources list)"


def _time(cores: int) -> str:
    from artifact.run import costs

    records = costs.read_costs(ROOT / "benchmarks" / "costs.csv")
    here, measured = costs.minutes(records, "reproduce", cores, costs.probe_s()), costs.minutes(records, "reproduce")
    return (
        f"make reproduce takes about {here} minutes on {cores} cores at the pace of this machine now; "
        f"about {measured} on 2 cores of the machine that was measured"
    )
