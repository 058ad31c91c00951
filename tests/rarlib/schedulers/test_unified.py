"""Schedulers of GPUs and CPU task slots: what every run must satisfy, fixed requests, and options."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.schedulers.aiturbo import Aiturbo
from rarlib.schedulers.optimus import Optimus
from rarlib.schedulers.requested import Requested
from rarlib.schedulers.tiresias import Tiresias
from tests.rarlib.schedulers.unified_cases import random_jobs, run


@pytest.mark.parametrize("make", [
    Aiturbo, lambda: Aiturbo(leftover=False), lambda: Aiturbo(inside="arrival"),
    Optimus, Tiresias, lambda: Tiresias(index="gittins", promote=2.0, tick=240.0),
    Requested, lambda: Requested("remaining"), lambda: Requested(at_once=2),
])  # fmt: skip
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_every_job_ends_and_its_record_is_consistent(make, seed):
    """`simulate` checks capacity and gangs at every interval and refuses impossible decisions."""
    own, submit_s = random_jobs(seed, 12)
    found = run(make(), own, submit_s, seed=seed)
    assert found.finished.all()
    assert found.work_done == pytest.approx(own.steps)
