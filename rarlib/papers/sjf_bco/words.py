"""What the names of set-ups and readings mean, in a sentence each, for the readers of the figures."""

from collections.abc import Iterable

import pandas as pd

SETUP_MEANINGS = {
    "U15": "clusters as the paper draws them, iteration times uniform on 0.01 to 0.0425 slot whatever the gang, "
    "contention and overhead at most 15 % of a whole schedule; nothing is fitted",
    "R15": "as U15, but iteration times are such that a job alone takes the stated 50 to 300 slots; nothing is fitted",
    "L15": "as U15, but the larger the gang, the longer its iterations, up to 0.05 slot; this law is fitted",
    "S200": "as L15 with iterations up to 0.0425 slot, on clusters of 185 to 215 GPUs; law and GPUs are fitted",
    "P200": "as S200 with iterations up to 0.05 slot, where they are cut, so that contention costs nothing although it "
    "weighs six times as much; law, GPUs and weight are fitted",
    "PNAT": "as P200, on clusters as the paper draws them; law and weight are fitted",
    "M15": "gangs of several GPUs have the longest iterations, contention and overhead are at most 15 % of each "
    "iteration, clusters have 205 to 235 GPUs; law and GPUs are fitted",
}
"""Set-ups of `instance.SETUPS`: what the paper leaves open about an instance."""

READING_MEANINGS = {
    "headline": "the parameters of the headline",
    "lambda-8": "SJF-BCO with λ = 8",
    "one-server": "SJF-BCO: a small gang waits for one server with space for all of it",
    "per-kappa": "SJF-BCO with a bisection of its own for every κ",
    "all-limits": "SJF-BCO tries every limit θ instead of bisecting",
    "fa-ffp-literal": "SJF-BCO with Alg. 2 as printed: the least busy GPUs of the whole cluster",
    "fa-ffp-first": "SJF-BCO packs by index only",
    "limit-finish": "SJF-BCO with θ on the clock instead of busy time",
    "rank-finish": "LS ranks GPUs by the time at which they become free instead of estimated busy time",
    "random-order": "jobs in random order instead of ascending gangs",
    "bisection": "FF finds its limit by bisection instead of trying every slot",
    "busy-limit": "FF with a limit on busy time, estimated by each job's worst case",
    "limit-busy": "FF with a limit on estimated busy time instead of the clock",
    "idle": "gangs wait for idle GPUs, as SJF-BCO's do",
    "queue": "gangs queue on busy GPUs",
    "trace-iterations": "iterations follow the recorded durations of the trace",
}
"""Readings of `readings.py`: what the paper leaves open about a scheduler."""


def explained_words(names: Iterable[str]) -> pd.DataFrame:
    """A row per name that is a set-up or a reading; others are left out."""
    known = SETUP_MEANINGS | READING_MEANINGS
    rows = {name: known[name] for name in dict.fromkeys(names) if name in known}
    return pd.DataFrame({"what it means": rows})
