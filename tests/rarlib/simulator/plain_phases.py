"""Jobs that compute and send in turn over one narrow link, as a list of dictionaries; nothing is remembered."""

from math import inf

NEXT = {"computes": "sends", "sends": "computes"}


class PlainPhases:
    """Follows jobs from event to event.

    Args:
        members: `rarlib.cost.links.phase_group.LinkedJob`s.
        capacity: of the link.
        alpha: loss per further job that sends.
        now: the time.
        steady: iterations of each half of the time after which mean paces hold.
    """

    def __init__(self, members, capacity, alpha, now, steady):
        self.capacity, self.alpha, self.now, self.begun, self.steady = capacity, alpha, now, now, steady
        self.events, self.marks, self.paces, self.carried_s = 0, [], None, 0.0
        self.spent_s = {"followed_s": 0.0, "steady_s": 0.0, "phase_events": 0}  # by jobs that are not alone
        self.jobs = []
        for each in members:
            self.add(each)

    def add(self, each):
        """A job comes to the link; with it, iterations are counted anew."""
        self.count_anew()
        sends, share = each.position.sending, each.position.share
        begin = self.now if sends else max(self.now, each.ready_s)
        self.jobs.append(
            {"row": each.row, "phase": "sends" if sends else "computes", "goal": each.left_s, "begin": begin,
             "left": (each.send_s if sends else each.compute_s) * share, "done": 0,
             "compute": each.compute_s, "send": each.send_s}
        )  # fmt: skip

    def remove(self, row):
        """A job leaves; returns what it has left of its work, in seconds alone."""
        (job,) = (job for job in self.jobs if job["row"] == row)
        self.jobs.remove(job)
        self.count_anew()
        return job["goal"]

    def count_anew(self):
        """Phases are followed again, from where they stood."""
        self.marks, self.paces = [], None
        for job in self.jobs:
            job["done"] = 0

    def rates(self):
        """Seconds alone per second of each job."""
        n = sum(job["phase"] == "sends" for job in self.jobs)
        share = 1.0 / (n + self.alpha * (n - 1)) if n else 0.0
        return [share if job["phase"] == "sends" else float(self.now >= job["begin"]) for job in self.jobs]

    def sent(self):
        """Exchanges of each job since the begin, in parts; one that was under way then counts as a whole."""
        return [
            job["done"] + (1.0 - job["left"] / job["send"] if job["phase"] == "sends" else 0.0) for job in self.jobs
        ]

    def go(self, horizon):
        """Go on to the horizon, or to the first goal."""
        while self.paces is None and self.now < horizon and all(job["goal"] > 0.0 for job in self.jobs):
            self.step(horizon)
            done = min(job["done"] for job in self.jobs)
            lasting = len(self.jobs) > 1 and all(job["goal"] > 0.0 for job in self.jobs)
            if lasting and done >= self.steady * (1 + len(self.marks)):
                self.marks.append((self.now, [job["goal"] for job in self.jobs], self.sent()))
            if len(self.marks) == 2:
                (one, goals, sent), (two, later, more) = self.marks
                self.paces = [(a - b) / (two - one) for a, b in zip(goals, later, strict=True)]
                self.exchanges = [(b - a) / (two - one) for a, b in zip(sent, more, strict=True)]
        if self.paces is not None:
            ends = [self.now + job["goal"] / pace for job, pace in zip(self.jobs, self.paces, strict=True)]
            then = min(horizon, *ends)
            for job, pace, end in zip(self.jobs, self.paces, ends, strict=True):
                job["goal"] = 0.0 if end <= then else job["goal"] - pace * (then - self.now)
            sent_s = [each * job["send"] for each, job in zip(self.exchanges, self.jobs, strict=True)]
            self.carried_s += sum(sent_s) * (then - self.now)
            self.spent_s["steady_s"] += len(self.jobs) * (then - self.now)
            self.now = then

    def sent_by(self, now):
        """Exchanges up to now."""
        if self.paces is None:
            return self.sent()
        time, _, sent = self.marks[1]
        return [one + pace * (now - time) for one, pace in zip(sent, self.exchanges, strict=True)]

    def step(self, horizon):
        """To the next end of a phase, of a wait, or of a job's work."""
        rates = self.rates()
        moments = [horizon]
        for job, rate in zip(self.jobs, rates, strict=True):
            if job["phase"] == "computes" and rate == 0.0:
                moments.append(job["begin"])
            elif rate > 0.0:
                moments.append(self.now + min(job["left"], job["goal"]) / rate)
        then = min(moments)
        for job, rate in zip(self.jobs, rates, strict=True):
            span, ahead = then - self.now, min(job["left"], job["goal"])
            reaches = rate > 0.0 and ahead / rate + self.now <= then + 1e-12
            ends_work, ends_phase = reaches and job["goal"] <= job["left"], reaches and job["left"] <= job["goal"]
            job["left"], job["goal"] = job["left"] - rate * span, job["goal"] - rate * span
            self.carried_s += rate * span * (job["phase"] == "sends")
            if ends_work:
                job["goal"] = 0.0
            self.events += ends_work or ends_phase
            self.spent_s["phase_events"] += len(self.jobs) > 1 and (ends_work or ends_phase)
            if ends_phase and not ends_work:
                self.turn(job, then)
        self.spent_s["followed_s"] += len(self.jobs) * (then - self.now) * (len(self.jobs) > 1)
        self.now = then

    def turn(self, job, now):
        """The next phase of a job."""
        job["phase"] = NEXT[job["phase"]]
        job["left"], job["begin"] = job["send" if job["phase"] == "sends" else "compute"], inf
        if job["phase"] == "computes":
            job["done"], job["begin"] = job["done"] + 1, now

    def position(self, job):
        """Whether a job sends, and the share of its phase that is left."""
        job = self.jobs[job]
        if job["phase"] == "sends":
            return True, job["left"] / job["send"]
        return False, job["left"] / job["compute"]
