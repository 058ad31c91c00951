"""A group of connected jobs against jobs that are followed one event at a time in plain Python."""

import numpy as np
import pytest
from plain_phases import PlainPhases

from rarlib.cost.links import phase_group
from rarlib.cost.links.phase_group import LinkedJob, PhaseGroup, Position
from rarlib.model.seeds import stream

STEADY, NARROW = 6, 1


def drawn_member(rng, row, capacity, now, iterations):
    """A job in the middle of something; its links are the narrow one and perhaps wide ones, in any order."""
    compute_s, size = rng.uniform(0.2, 2.0, 2)
    send_s = size / capacity[NARROW]
    sending = bool(rng.random() < 0.4)
    position = Position(sending, float(rng.uniform(0.1, 1.0)))
    links = rng.permutation([NARROW, *rng.choice([0, 2, 3], rng.integers(0, 3), replace=False)])
    return LinkedJob(
        row, float(compute_s), float(size), float(send_s), links, float(rng.uniform(0.5, 1.5) * iterations), position,
        ready_s=now + float(rng.choice([-1.0, 0.4])) if not sending else now,
    )  # fmt: skip


def compare(group, plain, now):
    """All that a group says of its jobs."""
    close = {"rel": 1e-8, "abs": 1e-8}
    jobs = range(len(plain.jobs))
    assert group.time == pytest.approx(plain.now, **close)
    assert group.left_s == pytest.approx(np.array([job["goal"] for job in plain.jobs]), **close)
    assert [each == 0.0 for each in group.left_s] == [job["goal"] == 0.0 for job in plain.jobs]
    assert group.is_steady == (plain.paces is not None)
    assert group.sent_by(now) == pytest.approx(np.array(plain.sent_by(now)), **close)
    assert group.events == plain.events
    until_s = plain.marks[1][0] if group.is_steady else now
    spent_s = len(jobs) * (until_s - plain.begun), len(jobs) * (now - until_s)
    assert group.spent_s(now) == pytest.approx(spent_s, **close)
    if group.is_steady:
        assert group.paces() == pytest.approx(plain.paces, **close)
        return
    for i in jobs:
        if plain.jobs[i]["goal"]:
            assert tuple(group.position(i)) == pytest.approx(plain.position(i), **close)


def states_of(group):
    """The same as numbers."""
    jobs = range(len(group.members))
    told = group.left_s.tolist(), group.sent_by(group.time).tolist(), [group.position(i) for i in jobs]
    return *told, group.time, group.is_steady


@pytest.mark.parametrize("number", range(40))
def test_a_group_is_what_its_jobs_do_one_by_one(number, monkeypatch):
    """Positions, work, exchanges and paces at drawn times, before and after the group is steady, and when work ends."""
    monkeypatch.setattr(phase_group, "STEADY_ITERATIONS", STEADY)
    rng = stream(number, "phase group")
    now, alpha, jobs = float(rng.choice([0.0, 7.25])), float(rng.choice([0.0, 0.3])), int(rng.integers(2, 5))
    capacity = np.array([50.0, rng.uniform(0.5, 2.0), 50.0, 60.0])
    members = [drawn_member(rng, row, capacity, now, rng.choice([4, 60, 200])) for row in range(jobs)]
    group, plain = PhaseGroup(members, capacity, alpha, now), PlainPhases(members, capacity[NARROW], alpha, now, STEADY)
    compare(group, plain, now)
    kept = []
    for _ in range(40):
        if not all(job["goal"] for job in plain.jobs):
            break
        kept.append((group.saved(), states_of(group)))
        time = plain.now + float(rng.choice([0.1, rng.uniform(0.0, 3.0), 10.0]))
        group.advance(time)
        plain.go(time)
        compare(group, plain, plain.now)
    after = group.left_s.tolist()
    for saved, before in (kept[-1], kept[len(kept) // 2], kept[0]):
        group.restore(saved)
        assert states_of(group) == before
        for _ in range(3):  # once to the end of the phases that are followed, once at mean paces
            group.advance(plain.now)
        assert group.left_s == pytest.approx(after, rel=1e-8, abs=1e-8)
