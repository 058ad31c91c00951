"""The end of a job whose rounds are known: by speeds of the table, by its last round, by a fitted length of a round."""

from rarlib.measured.predictor import Predictor
from rarlib.measured.round_length import OTHER_RUNS, fitted_round_s
from rarlib.measured.shockwave import STATED_ROUND_S, ShockwaveRuns


def _by_table(source: ShockwaveRuns) -> dict[str, float]:
    """A job ends when it has processed its samples: those of the trace, at the batch that was logged last."""
    frames = source.frames
    jobs = {row["job"]: row for row in frames["jobs"].to_dict("records")}
    table = {
        (row["application"], row["batch"], row["gpus"]): row["steps_per_s"]
        for row in frames["throughputs"].to_dict("records")
    }
    batch = {(row["policy"], row["job"], row["round"]): row["batch"] for row in frames["samples"].to_dict("records")}
    held: dict[tuple[str, int], list[int]] = {}
    for each in frames["rounds"].to_dict("records"):
        held.setdefault((each["policy"], each["job"]), []).append(each["round"])
    found = {}
    for row in source.replays:
        job = jobs[row.job]
        size, left = job["batch"], float(job["steps"] * job["batch"])
        rounds = sorted(set(held.get((row.group, row.job), ())))
        end = 0.0
        for at in rounds:
            size = batch.get((row.group, row.job, at), size)
            rate = size * table.get((job["application"], size, job["gpus"]), 0.0)
            rate = rate or job["batch"] * job["steps"] / job["duration_s"]
            part = min(1.0, left / (rate * STATED_ROUND_S))
            left -= part * rate * STATED_ROUND_S
            end = (at + part) * STATED_ROUND_S
            if left <= 0.0:
                break
        if rounds:
            found[row.id] = end - job["arrival_s"]
    return found


def _by_last_round(source: ShockwaveRuns) -> dict[str, float]:
    return {row.id: (row.last_round + 1) * STATED_ROUND_S - source.arrival_s[row.job] for row in source.replays}


def _by_fitted_rounds(source: ShockwaveRuns) -> dict[str, float]:
    length = {policy: fitted_round_s(source, without=policy) for policy in {row.group for row in source.replays}}
    return {row.id: (row.last_round + 0.5) * length[row.group] - source.arrival_s[row.job] for row in source.replays}


PREDICTORS = (
    Predictor("replay-fitted-rounds", "last round, fitted length", "replay", "B", _by_fitted_rounds, OTHER_RUNS),
    Predictor("replay-table", "speeds of the table, rounds of 120 s", "replay", "A", _by_table),
    Predictor("replay-last-round", "last round of 120 s", "replay", "A", _by_last_round),
)
