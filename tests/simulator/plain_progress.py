"""The state of a run as dictionaries and lists: the documented rules of progress, without a kernel.

A running job's time since the last change of its speed is a stretch. A stretch is closed as a whole, at the next
change: its time goes into GPU-seconds, work, and the parts of turnaround.
"""

from math import ceil, floor, inf, nan

SUMS = (
    "gpu_seconds", "done", "laps", "queue_s", "useful_s", "contention_s", "overhead_s", "restart_s", "restarts",
    "moves", "level",
)  # fmt: skip
"""Columns that begin at zero."""


class PlainJob(dict):
    """Columns of a job, and `place`: node -> what it holds there."""

    def __init__(self):
        super().__init__(dict.fromkeys(SUMS, 0.0), phase="waiting", place={}, settled=0.0, start_s=nan, finish_s=nan)


class PlainRun:
    """Jobs that all wait at time 0.

    Args:
        prices: columns of the price table, as lists.
        is_gpu: by node.
        levels: attained GPU-seconds.
        clock: quantum, whole_slots, origin_s, tick_s and linked.
    """

    def __init__(self, prices, is_gpu, levels, clock):
        self.p, self.is_gpu, self.levels, self.clock = prices, is_gpu, levels, clock
        self.jobs = [PlainJob() for _ in prices["work"]]
        self.rows = []  # [job, node, gpus, start, end]
        self.changed = []

    def tau(self, row, factor):
        """Seconds of an iteration where the job is, on GPUs of speed 1."""
        p, job = self.p, self.jobs[row]
        if len(job["place"]) == 1:
            return min(p["cap_s"][row], p["base_s"][row] + p["local_s"][row])
        sent_s = p["link_s"][row] * factor * job["link"]
        return min(p["cap_s"][row], p["base_s"][row] + sent_s + p["server_s"][row] * len(job["place"]))

    def speed(self, row):
        """Of the slowest node, times the speed-up that so many GPUs give."""
        curve, job = self.p["curve"][row], self.jobs[row]
        widened = self.p["speedup"][curve][job["held"]] if curve >= 0 else 1.0
        return min(self.p["node_speed"][node] for node in job["place"]) * widened

    def close(self, row, now):
        """Account for the stretch of a running job up to now."""
        job, p = self.jobs[row], self.p
        span = now - job["settled"]
        still = min(max(job["ready"] - job["settled"], 0.0), span)
        moving = span - still
        job["settled"] = now
        job["gpu_seconds"] += span * job["held"]
        job["overhead_s"] += still
        job["restart_s"] += still
        job["done"] += moving * job["rate"]
        job["laps"] += moving * job["rate"] / p["unit"][row] if self.clock["linked"] else 0.0
        lost = extra = 0.0
        if len(job["place"]) > 1:
            alone = self.tau(row, 1.0)
            lost = 1.0 - (job["pace"] if job["pace"] is not None else alone / self.tau(row, job["factor"]))
            bare = min(alone, p["base_s"][row] + p["link_s"][row] * job["link"])
            extra = (1.0 - lost) * (alone - bare) / alone
        job["contention_s"] += moving * lost
        job["overhead_s"] += moving * extra
        job["useful_s"] += moving * (1.0 - lost - extra)

    def set_speed(self, row, now, factor):
        """A new stretch begins, in which sending takes `factor` times as long as alone."""
        job, slot_s = self.jobs[row], self.p["slot_s"]
        self.close(row, now)
        job["factor"], job["pace"] = factor, None
        rate = self.speed(row) / self.tau(row, factor)
        job["rate"] = self.p["unit"][row] * (floor(slot_s * rate * (1 + 1e-12)) / slot_s if slot_s else rate)
        self.plan(row)

    def set_pace(self, row, now, pace, due):
        """A new stretch begins, in which the job makes `pace` times the progress that it makes alone."""
        job, alone = self.jobs[row], self.tau(row, 1.0)
        self.close(row, now)
        longer = (alone / pace - alone) if pace else inf
        job["factor"], job["pace"] = 1.0 + longer / (self.p["link_s"][row] * job["link"]), pace
        job["rate"] = self.p["unit"][row] * self.speed(row) * pace / alone
        self.plan_at(row, due)

    def plan(self, row):
        """When the work, or the row of prices, ends; on a clock with ticks, at the nearest one."""
        job, (origin, tick) = self.jobs[row], (self.clock["origin_s"], self.clock["tick_s"])
        begin = max(job["settled"], job["ready"])
        left = max(min(self.p["work"][row], self.p["until"][row]) - job["done"], 0.0)
        due = begin
        if left > 0.0:
            due = begin + left / job["rate"] if job["rate"] > 0.0 else inf
        if tick and due < inf:
            due = max(floor((due + origin) / tick + 0.5) * tick - origin, begin)
        self.plan_at(row, due)

    def plan_at(self, row, due):
        """Own events, if the work or the row of prices ends at `due`."""
        job, quantum = self.jobs[row], self.clock["quantum"]
        expires = self.p["until"][row] < self.p["work"][row]
        if self.clock["whole_slots"] and not expires and due < inf:
            due = ceil((due + self.clock["origin_s"]) / quantum - 1e-9) * quantum - self.clock["origin_s"]
        job["expiry_due"], job["finish_due"] = (due, inf) if expires else (inf, due)
        if job["level"] < len(self.levels) and job["held"]:
            missing = self.levels[int(job["level"])] - job["gpu_seconds"]
            due = min(due, job["settled"] + max(missing, 0.0) / job["held"])
        job["due"] = due

    def spanning(self, node):
        """Jobs on a node that span servers."""
        return [row for row, job in enumerate(self.jobs) if node in job["place"] and len(job["place"]) > 1]

    def count_sharers(self, nodes, now, but=None):
        """Sharers of all spanning jobs on some nodes; without links, a job whose number is new gets another speed."""
        for row in sorted({row for node in nodes for row in self.spanning(node)}):
            job = self.jobs[row]
            sharers = max(len(self.spanning(node)) for node in job["place"])
            if sharers == job["sharers"]:
                continue
            job["sharers"] = sharers
            factor = self.p["sharing"][min(sharers, len(self.p["sharing"]) - 1)]
            if not self.clock["linked"] and row != but:
                self.set_speed(row, now, factor)
            elif not self.clock["linked"]:
                job["factor"] = factor

    def note(self, row):
        """A spanning job that came, went or got another row of prices concerns its neighbours on links."""
        if self.clock["linked"] and len(self.jobs[row]["place"]) > 1 and row not in self.changed:
            self.changed.append(row)

    def start(self, row, place, now):
        """A waiting job gets GPUs."""
        job, first = self.jobs[row], self.jobs[row]["start_s"] != self.jobs[row]["start_s"]
        job["queue_s"] += now - job["settled"]
        job["ready"] = now + self.p["launch_s" if first else "restart_s"][row]
        job["restarts"] += not first
        job["start_s"] = now if first else job["start_s"]
        job["place"], job["phase"], job["settled"] = dict(sorted(place.items())), "running", now
        job["held"] = sum(gpus for node, gpus in place.items() if self.is_gpu[node])
        racks = {self.p["rack"][node] for node in place}
        uplinks = [self.p["rack_link"][rack] for rack in racks] if len(racks) > 1 else []
        job["link"] = max([self.p["node_link"][node] for node in place] + uplinks)
        job["rate"], job["sharers"], job["factor"], job["pace"] = 0.0, 0, 1.0, None
        self.rows += [[row, node, gpus, now, None] for node, gpus in job["place"].items()]
        self.count_sharers(place if len(place) > 1 else (), now, but=row)
        self.note(row)
        self.set_speed(row, now, job["factor"])

    def release(self, row, phase, now):
        """A running job gives its GPUs back."""
        job, place = self.jobs[row], self.jobs[row]["place"]
        self.close(row, now)
        self.note(row)
        for each in self.rows:
            if each[0] == row and each[4] is None:
                each[4] = now
        job["place"], job["phase"], job["held"] = {}, phase, 0
        self.count_sharers(place if len(place) > 1 else (), now)
