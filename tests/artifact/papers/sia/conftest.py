"""Measured profiles and recorded workloads, where they can be had; a small set of both."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from artifact.papers.sia.inputs import profile_set
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.jobs import Jobs
from rarlib.traces.load import load_trace

APPS = ("cifar10", "bert", "deepspeech2", "yolov3", "imagenet", "gpt-pmp")
SOURCES = [*(f"sia-profile-{name}" for name in APPS), "sia-philly-6", "sia-saturn-6", "sia-physical"]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of a set as the pipeline makes it, with three workload files."""
    path = tmp_path_factory.mktemp("sia") / "sia.json"
    path.write_text(json.dumps(profile_set("sia", {"sources": SOURCES}).data))
    return path


@pytest.fixture
def measured() -> Callable[[], Profiles]:
    """Gives the measured profiles; a test that asks for them is skipped where only a stand-in is at hand."""

    def profiles() -> Profiles:
        found = load_profiles()
        if found.facts["standin"]:
            pytest.skip("measured profiles are not at hand")
        return found

    return profiles


@pytest.fixture
def recorded() -> Callable[[str], Jobs]:
    """Gives the jobs of a recorded workload file; skipped likewise."""

    def jobs(source: str) -> Jobs:
        trace = load_trace(source)
        if trace.provenance["standin"]:
            pytest.skip(f"{source} is not at hand")
        return trace.jobs

    return jobs
