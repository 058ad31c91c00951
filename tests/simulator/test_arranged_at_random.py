"""Drawn arrangements in runs: what the policy sees, who moves, and what holds for each job."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from link_replay import ALONE, trace

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.fabric.arrangement import Arrangement
from rarlib.fabric.case import BYTES_PER_GBIT
from rarlib.fabric.shapes import fat_tree, leaf_spine
from rarlib.fabric.timetable import Timetable
from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.simulator import linked_run
from rarlib.simulator.arranging import Arranger
from rarlib.simulator.engine import simulate
from rarlib.simulator.state import RUNNING

ROUTED = {"leaf-spine": leaf_spine(4, 2, 3, 10.0, 5.0), "fat tree": fat_tree(4, 10.0, 5.0)}


@dataclass
class Drawn:
    """A policy that arranges anything that may be, for some of the jobs."""

    name: ClassVar[str] = "drawn"
    label: ClassVar[str] = "Drawn"
    paper: ClassVar[str] = ""

    rng: Any
    views: list[Any] = field(default_factory=list)
    found: list[Arrangement] = field(default_factory=list)

    def some(self, view, make):
        return {job.row: make(job) for job in view.jobs if self.rng.random() < 0.4}

    def arrange(self, view):
        rng = self.rng
        self.views.append(view)
        group, period_s = int(rng.integers(3)), float(rng.uniform(2.0, 4.0))
        self.found.append(
            Arrangement(
                priorities=self.some(view, lambda job: int(rng.integers(-1, 2))),
                paths=self.some(view, lambda job: tuple(int(rng.integers(len(edge.paths))) for edge in job.edges)),
                shifts=self.some(view, lambda job: float(rng.choice([0.0, rng.uniform(0.0, 1.0)]))),
                timetables=self.some(view, lambda job: Timetable(group, period_s, 0.1)) if rng.random() < 0.5 else {},
            )
        )
        return self.found[-1]


class Watched(Arranger):
    """Compares what it is asked for and what it answers with what was arranged for each job since its stint began."""

    calls, told = 0, 0

    def begin(self, s, job):
        super().begin(s, job)
        self.stints, self.jobs = getattr(self, "stints", {}), s.job
        own = s.rows[s.job[job].first_row : s.job[job].first_row + s.job[job].servers]
        self.stints[job] = {"level": 0, "gpus": int(own["gpus"].sum()), "servers": sorted(own["node"].tolist())}

    def arrange(self, standing, now):
        before = {row: self.stints[row].get("kept") for row in standing}
        groups = {row: self.stints[row].get("mates") for row in standing}
        moved, concerned = super().arrange(standing, now)
        Watched.calls += 1
        view, found = self._policy.views[-1], self._policy.found[-1]
        there = np.flatnonzero((self.jobs["phase"] == RUNNING) & (self.jobs["servers"] > 1)).tolist()
        assert [job.row for job in view.jobs] == sorted(standing) == there
        expected_moved, expected_concerned = set(), set()
        for job in view.jobs:
            row, each, stint = job.row, standing[job.row], self.stints[job.row]
            position, send_s = each.position, float(self._sharing.send_s[row])
            assert each.compute_s == pytest.approx(float(self._sharing.compute_s[row]))
            assert each.delay_s == max(float(self.jobs["ready"][row]) - now, 0.0)
            assert not each.pending or stint["shift_s"] > 0.0, "a shift is before a job that was shifted"
            begun = not (position.share == 1.0 and not position.sending)
            passed_s = (each.compute_s if position.sending else 0.0) + (1.0 - position.share) * (
                send_s if position.sending else each.compute_s
            )
            offset_s = passed_s if begun else -max(position.wait_s, each.delay_s)
            assert job.offset_s == pytest.approx(offset_s)
            assert (job.gpus, sorted(job.servers), job.compute_s) == (stint["gpus"], stint["servers"], each.compute_s)
            bytes_ = float(self._sharing.size[row]) * self._links.nominal_gbps * BYTES_PER_GBIT
            assert [flow.bytes_ for flow in job.flows] == [pytest.approx(bytes_)]
            assert [edge.taken for edge in job.edges] == list(stint.get("taken", [edge.taken for edge in job.edges]))
            taken = tuple(found.paths.get(row, [edge.taken for edge in job.edges]))
            if list(taken) != [edge.taken for edge in job.edges]:
                expected_moved.add(row)
            level, kept = found.priorities.get(row, stint["level"]), found.timetables.get(row)
            mates = {other for other, table in found.timetables.items() if kept and table.group == kept.group}
            same = (kept and (kept.period_s, kept.slack_s)) == before[row] and mates == (groups[row] or set())
            if level != stint["level"] or each.pending or found.shifts.get(row, 0.0) > 0.0 or not same:
                expected_concerned.add(row)
            origin_s = now - offset_s + found.shifts.get(row, 0.0)
            stint |= {
                "level": level,
                "taken": taken,
                "table": kept,
                "mates": mates,
                "origin_s": origin_s if kept else 0.0,
            }
            stint |= {"kept": kept and (kept.period_s, kept.slack_s), "shift_s": found.shifts.get(row, 0.0)}
            stint["links"] = [
                link for edge, path in zip(job.edges, taken, strict=True) for link, _ in edge.paths[path].crossings
            ]
        for row in set(self.stints) - set(standing):
            self.stints[row] |= {"kept": None, "mates": None}
        assert (moved, concerned) == (expected_moved, expected_concerned)
        return moved, concerned

    def retrace(self, job):
        super().retrace(job)
        sharing = self._sharing
        if "links" in self.stints[job]:
            assert sharing.link[sharing.begin[job] : sharing.end[job]].tolist() == self.stints[job]["links"]
        for link in sharing.link[sharing.begin[job] : sharing.end[job]]:
            first = sharing.first_user[link]
            assert job in sharing.user[first : first + sharing.users[link]]

    def arranged(self, row, standing):
        found, stint, position = super().arranged(row, standing), self.stints[row], standing.position
        Watched.told += 1
        shift_s, wait_s = stint["shift_s"], position.wait_s
        if shift_s > 0.0 and not position.sending and position.share == 1.0:
            shift_s, wait_s = 0.0, max(wait_s, standing.delay_s) + shift_s
        assert (found.position.sending, found.position.share) == (position.sending, position.share)
        assert (found.position.wait_s, found.shift_s) == pytest.approx((wait_s, shift_s))
        assert (found.level, found.timetable) == (stint["level"], stint["table"])
        assert found.origin_s == pytest.approx(stint["origin_s"])
        return found


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("shape", ROUTED.values(), ids=ROUTED)
def test_what_was_arranged_holds_until_it_is_arranged_anew(shape, number, monkeypatch):
    """Priorities and paths hold for a stint, shifts and timetables until the next call; only changes concern a job."""
    monkeypatch.setattr(linked_run, "Arranger", Watched)
    Watched.calls = Watched.told = 0
    rng = stream(number, "arranged")
    jobs = trace(number, 20)
    cluster, policy = laid_out(Cluster.of([2] * shape.servers), shape), Drawn(rng)
    cost = on_fabric(ALONE, shape, 0.0, number, "flow", policy)
    run = simulate(jobs, cluster, make_scheduler("srtf", {"placement": "random"}), cost, restart_s=7.0, until_s=900.0)
    assert min(Watched.calls, Watched.told) > 5
    assert max(len(view.jobs) for view in policy.views) > 1
    assert np.isfinite(run.contention_s).all()
