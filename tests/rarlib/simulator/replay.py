"""Any scheduler's decisions, carried out by the naive simulator: what follows from them is computed anew.

The naive simulator cannot decide like twenty schedulers, so it is told what they decided and when. Everything else is
its own: progress, contention, finishes, waiting, GPU-seconds, restarts. It knows one price table for the whole run, so
jobs that change while they run (trainings), and moves without a restart, are beyond it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any

from naive import EPS, Naive

from rarlib.model.decisions import Allocation, Start, Stop


def write_down(scheduler: Any, script: list) -> Any:
    """The scheduler, which adds (time, stops, starts as row -> {node: GPUs}) to `script` at every pass."""
    decide = scheduler.decide

    def noted(view: Any) -> Iterable[Any]:
        decisions = list(decide(view))
        held = {running.job.row: dict(running.placement) for running in view.running}
        stops, starts = [], {}
        for each in decisions:
            if isinstance(each, Stop):
                stops.append(each.job)
            elif isinstance(each, Start):
                starts[each.job] = dict(each.placement)
            elif isinstance(each, Allocation):
                for row, gpus in zip(each.jobs.tolist(), each.gpus.tolist(), strict=True):
                    wanted = {node: count for node, count in enumerate(gpus) if count}
                    if wanted != held.get(row, {}):
                        stops += [row] * (row in held)
                        starts |= {row: wanted} if wanted else {}
        script.append((view.now_s, stops, starts))
        return decisions

    scheduler.decide = noted
    return scheduler


@dataclass
class Replay(Naive):
    """`prices` is the price table, copied column by column into plain lists; `kinds` are the types of the nodes."""

    prices: dict = field(default_factory=dict)
    kinds: tuple = ()
    script: list = field(default_factory=list)

    def rate(self, job: Any) -> float:
        """Work per second where the job sits, with the neighbours it has now."""
        p, row, nodes = self.prices, job.row, list(job.place)
        tau = p["base_s"][row]
        if len(nodes) == 1:
            tau += p["local_s"][row]
        else:
            spanning = [j for j in self.running() if len(j.place) > 1]
            sharers = max(sum(s in j.place for j in spanning) for s in nodes)
            racks = {p["rack"][node] for node in nodes}
            slowest = max([p["node_link"][s] for s in nodes] + [p["rack_link"][r] for r in racks if len(racks) > 1])
            f = p["sharing"][min(sharers, len(p["sharing"]) - 1)]
            tau += p["link_s"][row] * f * slowest + p["server_s"][row] * len(nodes)
        tau = min(tau, p["cap_s"][row]) / min(p["node_speed"][node] for node in nodes)
        if p["curve"][row] >= 0:
            tau /= p["speedup"][p["curve"][row]][job.gpus]
        return p["unit"][row] * (floor(self.slot / tau + EPS) / self.slot if self.slot else 1 / tau)

    def until(self, time: float) -> None:
        """Go on to a moment; jobs that end until then, but for rounding, have ended."""
        while True:
            ends = {j.row: self.end_of(j) for j in self.running()}
            arrivals = [j.submit for j in self.jobs if j.submit > self.now]
            upcoming = min([*ends.values(), *arrivals], default=inf)
            if upcoming > time + EPS * max(1.0, abs(time)) or upcoming == inf:
                break
            self.advance(max(upcoming, self.now))
            for row in [row for row, end in ends.items() if end <= upcoming + EPS]:
                self.jobs[row].finish = self.now
                self.leave(self.jobs[row])
        if time < inf:
            self.advance(max(time, self.now))

    def run(self) -> "Replay":
        """Carry out the script, then go on to the last finish."""
        for time, stops, starts in self.script:
            self.until(time)
            for row in stops:
                self.leave(self.jobs[row])
            for row, place in starts.items():
                job, first = self.jobs[row], self.jobs[row].start is None
                job.place, job.since = dict(place), self.now
                job.gpus = sum(count for node, count in place.items() if self.kinds[node] != "cpu")
                job.pause = self.prices["launch_s" if first else "restart_s"][row]
                job.restarts += not first
                job.start = self.now if first else job.start
        self.until(inf)
        return self


def plain(prices: Any) -> dict:
    """The columns of a price table as lists."""
    return {
        name: value if isinstance(value, float | bool) else value.tolist() for name, value in prices._asdict().items()
    }
