"""The contract of communication policies: what they see of a case, and what an arrangement makes of it."""

import sys

import numpy as np
import pytest

import rarlib.fabric.policies as package
from rarlib.discovery import make_policy, policies, settings_with_defaults
from rarlib.fabric.arranged import RingJob, arranged, case_view, flows_of, ring_view, viewed_case
from rarlib.fabric.arrangement import Arrangement
from rarlib.fabric.case import run_case
from rarlib.fabric.policy_cases import policy_case
from rarlib.fabric.rings import ring_flows
from rarlib.fabric.routing import ecmp
from rarlib.fabric.shapes import fat_tree
from rarlib.fabric.timetable import Timetable
from rarlib.model.errors import InputError
from tests.fabric.cases import sender, shared


def test_policies_are_found_and_made_with_parameters():
    assert policies().keys() >= {"fair", "crux", "cassini"}
    made = settings_with_defaults(make_policy("crux", {"levels": "4", "parts": "paths"}))
    assert made == {"parts": "paths", "levels": 4, "orders": 10, "spare": True}


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("cruks", {}, "unknown policy 'cruks'.*known: cassini, crux, fair"),
        ("crux", {"levels": "0"}, "levels: must be at least 1"),
        ("crux", {"parts": "none"}, "parts: must be one of both, priorities, paths"),
        ("crux", {"level": "1"}, "unknown parameter 'level' of crux"),
        ("cassini", {"step_deg": "7"}, "step_deg: must divide 360"),
        ("cassini", {"drift": "0.6"}, "drift: must be at least 0, at most 0.5"),
    ],
)
def test_bad_names_and_parameters(name, params, message):
    with pytest.raises(InputError, match=message):
        make_policy(name, params)


def test_a_file_that_is_dropped_in_is_found_and_no_name_is_taken_twice(tmp_path, monkeypatch):
    text = "class Mine:\n    name, label, paper = {!r}, 'Mine', ''\n\n    def arrange(self, view):\n        pass\n"
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    (tmp_path / "mine.py").write_text(text.format("mine"))
    assert "mine" in policies()
    (tmp_path / "twin.py").write_text(text.format("fair"))
    with pytest.raises(InputError, match=r"'fair' is defined in .*fair and .*twin"):
        policies()
    for name in ("mine", "twin"):
        sys.modules.pop(f"rarlib.fabric.policies.{name}", None)


@pytest.mark.parametrize("ring", ["lockstep", "independent"])
def test_the_view_of_rings_holds_the_flows_of_ecmp_and_every_other_path(ring):
    """A fat tree of degree 4 has 4 paths between pods, 2 inside a pod, 1 below a switch."""
    shape = fat_tree(4, 10.0, 10.0)
    paths, servers = ecmp(shape, 7), (0, 1, 2, 9)
    view = ring_view(shape, paths, [RingJob(servers, 8, 1e8, 3, 0.2, ring=ring)])
    flows, links = ring_flows(paths, 3, servers, ring, 1e8)
    assert flows_of(view, view.jobs[0]) == flows
    assert [len(edge.paths) for edge in view.jobs[0].edges] == [1, 2, 4, 4]
    assert links.items() <= dict(zip(view.links, view.gbps, strict=True)).items()


def test_an_arrangement_of_nothing_changes_nothing():
    one = policy_case(0, 0)
    arrangement = make_policy("fair").arrange(one.view)
    assert arranged(one.case, one.view, arrangement) == one.case


def test_paths_priorities_shifts_and_timetables_are_applied():
    shape = fat_tree(4, 10.0, 10.0)
    view = ring_view(shape, ecmp(shape, 7), [RingJob((0, 4), 8, 1e8, job, 0.2) for job in range(2)])
    case = viewed_case(view, "case", 5)
    timetable = Timetable(0, 0.3, 0.01)
    found = arranged(case, view, Arrangement({0: 3}, {1: (2, 1)}, {1: 0.25}, {0: timetable}))
    assert [job.priority for job in found.jobs] == [3, 0]
    assert [job.start_s for job in found.jobs] == [0.0, 0.25]
    assert [job.timetable for job in found.jobs] == [timetable, None]
    assert found.jobs[0].flows == case.jobs[0].flows
    there, back = (shape.path(0, 4, (1, 0)), shape.path(4, 0, (0, 1)))
    assert found.jobs[1].flows[0].links == dict.fromkeys(there | back, 1)
    assert (there | back).items() <= found.links.items()


@pytest.mark.parametrize(
    ("arrangement", "message"),
    [
        (Arrangement(priorities={5: 1}), "job 5: is arranged but does not run"),
        (Arrangement(paths={0: (1,)}), "job 0: must get one of its paths on each of its 1 edges"),
        (Arrangement(paths={0: ()}), "job 0: must get one of its paths"),
        (Arrangement(shifts={0: -0.1}), "job 0: must be shifted by .* not negative"),
        (Arrangement(shifts={0: float("nan")}), "job 0: must be shifted"),
    ],
)
def test_an_arrangement_that_cannot_be_is_refused(arrangement, message):
    case = shared(sender("a", 0.3, 0.1))
    with pytest.raises(InputError, match=message):
        arranged(case, case_view(case, [1]), arrangement)


def test_a_job_ahead_of_its_group_waits_for_the_latest():
    """Alone, a would take 0.4 s an iteration; its group is late by 0.1 s more with each iteration of b."""
    a = sender("a", 0.4, 0.0, iterations=8, timetable=Timetable(0, 0.4, 0.05))
    b = sender("b", 0.5, 0.0, iterations=8, timetable=Timetable(0, 0.4, 0.05))
    ends = run_case(shared(a, b)).ends.reshape(2, 8)
    # b was late by 0.1 n s at 0.5 n s. When a ends at 0.8 s it learns of the first 0.1 s, and then of 0.1 s each time.
    assert ends[0] == pytest.approx([0.4, *(0.8 + 0.5 * np.arange(7))])
    assert ends[1] == pytest.approx(0.5 * np.arange(1, 9))


def test_jobs_of_other_groups_and_small_leads_are_left_alone():
    late = sender("late", 0.5, 0.0, timetable=Timetable(0, 0.4, 0.0))
    other = sender("other", 0.4, 0.0, timetable=Timetable(1, 0.4, 0.0))
    free = sender("free", 0.4, 0.0)
    slack = sender("slack", 0.4, 0.0, timetable=Timetable(0, 0.4, 100.0))
    ends = run_case(shared(late, other, free, slack)).ends.reshape(4, 60)
    for job in (1, 2, 3):
        assert ends[job] == pytest.approx(0.4 * np.arange(1, 61))


def test_nobody_waits_for_a_job_that_has_left():
    gone = sender("gone", 0.9, 0.0, iterations=2, timetable=Timetable(0, 0.4, 0.0))
    stays = sender("stays", 0.4, 0.0, iterations=40, timetable=Timetable(0, 0.4, 0.0))
    ends = run_case(shared(gone, stays, leave=True)).ends[2:]
    assert np.diff(ends)[6:] == pytest.approx([0.4] * 33)
