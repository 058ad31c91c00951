"""What `rarlib simulate` prints of a run: on what it rests, what to beware of, and its main numbers."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd

from rarlib.cli.text import say
from rarlib.discovery import scheduler_class
from rarlib.model.files import write_text
from rarlib.simulator.engine import Conventions
from rarlib.simulator.run import Run

_COSTS = {
    "trace": "recorded durations",
    "ring": "recorded durations, prolonged by all-reduce between servers",
    "goodput": "measured profiles, batches that adapt",
}


def assumptions(facts: Mapping[str, Any]) -> list[str]:
    """Scheduler, cost model, contention, restart and quantum of a run, a line each.

    Args:
        facts: as in run.json.
    """
    cost, quantum_s, restart_s = facts["cost"], facts["quantum_s"], facts["restart_s"]
    conventions = Conventions(facts["origin_s"], facts["tick_s"], facts["free_moves"])
    entries = {
        "scheduler": f"{facts['scheduler']}{_listed(facts['parameters'], ': ')}",
        "cost": f"{cost['name']}: {_COSTS[cost['name']]}",
        "contention": _contention(cost),
        "restart": "each job's own, from the cost model" if restart_s is None else f"{restart_s:g} s for each restart",
        "quantum": f"a pass every {quantum_s:g} s" if quantum_s else "none: a pass whenever something changes",
    }
    if "applications" in facts:
        entries["jobs"] = assigned_line(facts["applications"])
    if "fabric" in facts:
        by = (
            "phase by phase on shared links" if facts["fabric"].get("grade") == "flow" else "by the law of shared links"
        )
        entries["contention"] = f"{by}; planners that count jobs believe {_contention(cost)}"
        entries["fabric"] = _listed(facts["fabric"])
    if conventions != Conventions():
        entries["clock"] = f"origin {conventions.origin_s:g} s, tick {conventions.tick_s:g} s"
        entries["moves"] = "free between nodes of the same types and shape" if conventions.free_moves else "restarts"
    indent = " " * 12
    return [line for name, text in entries.items() for line in wrap(f"{name:12}{text}", 100, subsequent_indent=indent)]


def warnings(run: Run, facts: Mapping[str, Any]) -> list[str]:
    """What makes the numbers of a run mean something else than its reader may think."""
    found = []
    made_for, cost = getattr(scheduler_class(facts["scheduler"]), "made_for", ""), facts["cost"]["name"]
    if made_for and made_for != cost:
        found.append(
            f"{facts['scheduler']} is made for --cost {made_for}; under --cost {cost} every job has the speed that "
            "follows from its recorded duration, whatever the GPU type and batch"
        )
    rests_s = run.counters.get("unmeasured_s", 0.0)
    if rests_s:
        share = rests_s / float((run.useful_s + run.contention_s + run.overhead_s - run.restart_s).sum())
        found.append(
            f"{share:.1%} of the time that jobs ran ({rests_s:,.0f} s of all together) rests on the nearest "
            "measurements, since their placements or batches were not measured (docs/concepts.md)"
        )
    load = offered_load(run)
    if np.isfinite(load) and load > 1.0:
        found.append(
            f"offered load {load:.3g}: jobs ask for {load:.3g} times the GPU-seconds that the cluster has between the "
            "first and the last submission, so the queue grows and JCTs depend on how long the trace is"
        )
    return found


def offered_load(run: Run) -> float:
    """GPU-seconds requested over those of the cluster between the submissions; infinite if all come at once."""
    span_s = float(run.jobs.submit_s[-1] - run.jobs.submit_s[0])
    asked = float((run.jobs.gpus * run.jobs.duration_s).sum())
    return asked / (run.cluster.total_gpus * span_s) if span_s > 0.0 else float("inf")


def assigned_line(facts: Mapping[str, Any]) -> str:
    """What was assigned to jobs that named no application (`rarlib.cost.goodput.assigned`)."""
    which = ", ".join(f"{name} {count}" for name, count in facts["jobs"].items())
    cut = f"; gangs reduced to what these can use: {facts['reduced']}" if facts["reduced"] else ""
    return (
        f"{facts['assigned']} with an application by GPU time, as Sia's authors assign them (seed {facts['seed']}): "
        f"{which}{cut}; durations as recorded, alone on {facts['reference']}"
    )


def _contention(cost: Mapping[str, Any]) -> str:
    constants = cost.get("network", cost if "alpha" in cost else None)
    return _listed(constants) if constants else "none"


def _listed(values: Mapping[str, Any], before: str = "") -> str:
    shown = [f"{name}={_shown(value)}" for name, value in values.items() if name != "name"]
    return before + ", ".join(shown) if shown else ""


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ":".join(map(_shown, value)) if isinstance(value, tuple | list) else str(value).lower()


def print_summary(run: Run, facts: Mapping[str, Any], standin: str, out: Path) -> None:
    """Print assumptions, warnings and the main numbers of a run."""
    jct = run.turnaround_s
    if standin:
        say(standin)
    say(*assumptions(facts))
    for warning in warnings(run, facts):
        say(*wrap(f"warning: {warning}", 100))
    print(f"jobs {len(run.jobs)}, makespan {run.makespan_s:,.0f} s")
    print(f"JCT mean {jct.mean():,.1f} s, median {np.median(jct):,.1f} s, p99 {np.quantile(jct, 0.99):,.1f} s")
    print(f"queued {(run.queue_s > 0).mean():.1%} of the jobs, {run.queue_s.mean():,.1f} s on average")
    say(f"written to {out}")


def write_metrics(rows: list[tuple[str, str, float, str]], path: Path, *, quiet: bool) -> None:
    """Write all metrics, and print those of all traces together."""
    table = pd.DataFrame(rows, columns=["metric", "trace", "value", "unit"])
    write_text(path, table.to_csv(index=False, lineterminator="\n", float_format="%.10g"))
    if not quiet:
        for metric, trace, value, unit in rows:
            if trace in ("mean", "all"):
                say(f"{metric} {value:.10g} {unit}")
