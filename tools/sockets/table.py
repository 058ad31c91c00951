"""The accepted trials as a section of docs/fabric.md; total rate and fairness apart."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from rarlib.model.project import ROOT
from tools.section import Section
from tools.sockets.plan import EXCHANGE_BYTES, QUEUES, RATE_MBIT, Trial

TABLE = ROOT / "results/expected/sockets.csv"
SECTION = Section("fabric.md", "sockets", "tools.sockets")
GOAL = 0.15
"""Aimed at for the 95th percentile of the error of the exact mode."""

_NAMES = {"class": "a class for each job", "fifo": "one queue"}


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `Trial` and `JobRow`, `exact_s` and `law_s`.
    """
    table = table.assign(off=table["iteration_s"] / table["exact_s"] - 1.0)
    return "\n".join([*_how(table), *_errors(table), *_cells(table), _verdict(table)])


def judged(table: pd.DataFrame) -> pd.DataFrame:
    """Rows by which the exact mode is judged: fixed phases, and free ones that vary."""
    return table[table["phases"].isin(["fixed", "free"])]


def total_rate(table: pd.DataFrame) -> pd.Series:
    """Payload of all jobs in each trial in which all of them always send, Mbit/s."""
    sent = table[table["phases"].isin(["alone", "free"]) & (table["duty"] == 1.0)]
    return (EXCHANGE_BYTES * 8e-6 / sent["iteration_s"]).groupby([sent[f] for f in Trial._fields], sort=False).sum()


def fairness(table: pd.DataFrame) -> pd.Series:
    """Jain's index of the rates of jobs in each trial in which equal jobs send at the same time, from 1/k to 1."""
    together = table[(table["duty"] == 1.0) & (table["shift"] == 0.0) & (table["jobs"] > 1)]
    rate = 1.0 / together["iteration_s"]
    rates = rate.groupby([together[f] for f in Trial._fields], sort=False)
    return rates.sum() ** 2 / (rates.size() * (rate**2).groupby([together[f] for f in Trial._fields], sort=False).sum())


def _how(table: pd.DataFrame) -> Iterator[str]:
    trials = table.drop_duplicates(list(Trial._fields))
    load, late = trials["load"], trials["late_ms"]
    yield (
        f"{len(trials)} trials on Linux {table['kernel'].iloc[0]} over a link of {RATE_MBIT:g} Mbit/s. Other work ran "
        f"beside them: the processors were busy for {100 * load.median():.0f} % of the time ({100 * load.min():.0f} to "
        f"{100 * load.max():.0f} %), and exchanges began {late.median():.1f} ms late in the median, "
        f"{late.max():.1f} ms in the worst trial."
    )
    yield ""


def _errors(table: pd.DataFrame) -> Iterator[str]:
    yield (
        "| link | error of the exact mode, %: median / 95th percentile | mean, fixed phases | mean, free phases "
        "| total rate of 1 to 4 jobs, Mbit/s | fairness: mean (least) |"
    )
    yield "|---" * 6 + "|"
    for queue in QUEUES:
        own = table[table["queue"] == queue]
        middle, high = _quantiles(own)
        means = own.groupby("phases")["off"].mean()
        total = total_rate(own).groupby("jobs").mean()
        fair = fairness(own)
        yield (
            f"| {_NAMES[queue]} | {100 * middle:.1f} / {100 * high:.1f} | {100 * means['fixed']:+.1f} "
            f"| {100 * means['free']:+.1f} | {', '.join(f'{rate:.1f}' for rate in total)} "
            f"| {fair.mean():.3f} ({fair.min():.3f}) |"
        )
    yield ""


def _cells(table: pd.DataFrame) -> Iterator[str]:
    yield "Mean seconds of an iteration (fixed phases: of an exchange); in brackets fairness where jobs send at once:"
    yield ""
    yield "| phases | jobs | duty | shift | exact mode | law | a class for each job | one queue |"
    yield "|---" * 8 + "|"
    fair = fairness(table).groupby(["queue", "phases", "jobs", "shift"]).mean().to_dict()
    for (phases, jobs, duty, shift), own in table.groupby(["phases", "jobs", "duty", "shift"], sort=False):
        cells = []
        for queue in QUEUES:
            seconds = own.loc[own["queue"] == queue, "iteration_s"].mean()
            index = fair.get((queue, phases, jobs, shift)) if duty == 1.0 else None
            cells.append(f"{seconds:.3f}" + ("" if index is None else f" ({index:.2f})"))
        law = own["law_s"].mean()
        said = [
            str(phases),
            str(jobs),
            "" if phases == "fixed" else f"{duty:g}",
            f"{shift:g}" if phases == "fixed" else "",
            f"{own['exact_s'].mean():.3f}",
            "" if np.isnan(law) else f"{law:.3f}",
            *cells,
        ]
        yield f"| {' | '.join(said)} |"
    yield ""


def _verdict(table: pd.DataFrame) -> str:
    said = []
    for queue in QUEUES:
        high = _quantiles(table[table["queue"] == queue])[1]
        verdict = "reached" if high <= GOAL else f"missed: {100 * high:.1f} %"
        said.append(f"with {_NAMES[queue]} it is {verdict}")
    return f"The goal is a 95th percentile of {100 * GOAL:.0f} %: {'; '.join(said)}. {_in_step(table)}"


def _in_step(table: pd.DataFrame) -> str:
    """How long jobs that are all the same stay in step."""
    said = []
    for jobs, own in table[table["phases"] == "equal"].groupby("jobs"):
        mean = own[["first_s", "iteration_s", "exact_s", "law_s"]].mean()
        said.append(
            f"{jobs} jobs: {mean['first_s']:.3f} s in the second iteration, {mean['iteration_s']:.3f} s on the mean "
            f"after it, {mean['exact_s']:.3f} s in the exact mode, {mean['law_s']:.3f} s by the law"
        )
    return f"Jobs that are all the same and begin together: {'; '.join(said)}."


def _quantiles(table: pd.DataFrame) -> tuple[float, float]:
    sizes = judged(table)["off"].abs()
    return float(sizes.quantile(0.5)), float(sizes.quantile(0.95))
