"""Measured profiles and recorded workloads, where they can be had."""

from collections.abc import Callable

import pytest

from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.jobs import Jobs
from rarlib.traces.load import load_trace


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
