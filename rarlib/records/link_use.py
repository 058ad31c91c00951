"""What the links of a fabric carried in a run, and how much contention is theirs, from `links` in run.json."""

from typing import Any

import pandas as pd

from rarlib.records.read import Record

LINK_COLUMNS = ("link", "carried_s", "contention_s")


def links_as_rows(links: pd.DataFrame) -> list[list[Any]]:
    """`rarlib.simulator.run.Run.links` as run.json holds it: [name, carried_s, contention_s] with six decimals."""
    rows = links[list(LINK_COLUMNS)].itertuples(index=False)
    return [[str(link), round(float(carried_s), 6), round(float(delay_s), 6)] for link, carried_s, delay_s in rows]


def link_load_as_columns(load: pd.DataFrame) -> dict[str, list[float]]:
    """`rarlib.simulator.run.Run.link_load` as run.json holds it, with four decimals."""
    return {str(name): [round(float(value), 4) for value in column] for name, column in load.items()}


def link_load(record: Record) -> pd.DataFrame | None:
    """Load of the busiest links over time, as `rarlib.simulator.run.Run.link_load`; None: no fabric."""
    columns = record.facts.get("link_load")
    if columns is None:
        return None
    load = pd.DataFrame(columns)
    load = load[["start_s", *(name for name in load if name != "start_s")]]
    busiest = load.drop(columns="start_s").to_numpy(dtype=float).sum(axis=0).argsort(kind="stable")[::-1]
    return load.astype(float).iloc[:, [0, *(1 + busiest)]]


def link_use(record: Record) -> pd.DataFrame | None:
    """Links by contention, most first: `LINK_COLUMNS`, and the share of the run's time of each; None: no fabric."""
    rows = record.facts.get("links")
    if rows is None:
        return None
    links = pd.DataFrame(rows, columns=list(LINK_COLUMNS))
    span_s = float(record.jobs["finish_s"].max() - record.jobs["submit_s"].min())
    links["share"] = links["carried_s"] / span_s if span_s > 0.0 else 0.0
    return links.sort_values(["contention_s", "carried_s"], ascending=False, kind="stable", ignore_index=True)
