"""`rarlib fabric`: iteration times of jobs that share links, exactly or by the fast law."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarlib.cli.options import Force

if TYPE_CHECKING:
    from rarlib.fabric.case import SharedCase

_HEADERS = {"flow": "instance,job,mean_iteration_s,end_15_s", "law": "instance,job,law"}


class Grade(StrEnum):
    """How iteration times are found."""

    flow = "flow"
    law = "law"


def fabric(
    instances: Path = typer.Argument(help="Instances, a JSON object a line (docs/fabric.md)."),
    grade: Grade = typer.Option(help="flow: every phase of every job is an event. law: means over phases, at once."),
    out: Path = typer.Option(help="Table to write (CSV)."),
    force: Force = False,
) -> None:
    """Find iteration times of jobs that compute and send by turns over links that they share."""
    from rarlib.cli.text import say
    from rarlib.cli.working import compiling_note
    from rarlib.fabric.instances import read_cases
    from rarlib.model.files import write_text
    from rarlib.records.outputs import check_outputs

    cases = read_cases(instances)
    check_outputs([out], [instances, *_tables(instances)], force=force)
    with compiling_note(quiet=False):
        lines, note = _flow_lines(cases) if grade is Grade.flow else _law_lines(cases)
    write_text(out, "".join(f"{line}\n" for line in lines))
    say(f"{out}: {sum(len(case.jobs) for case in cases):,} jobs of {len(cases):,} instances{note}")


def _tables(instances: Path) -> list[Path]:
    """The tables of servers that instances name."""
    from rarlib.model.inputs import file_text, json_value

    stated = [json_value(line).get("fabric", {}) for line in file_text(instances).split("\n") if line.strip()]
    return [instances.parent / fabric["path"] for fabric in stated if "path" in fabric]


def _flow_lines(cases: "list[SharedCase]") -> tuple[list[str], str]:
    from rarlib.fabric.case import job_times, run_case

    lines, events, longest, where = [_HEADERS["flow"]], 0, 0.0, ""
    for case in cases:
        run = run_case(case)
        events += run.events
        for job, times in zip(case.jobs, job_times(case, run), strict=True):
            lines.append(_row(case.id, job.id, times.mean_iteration_s, times.end_15_s))
            if times.longest_s > longest:
                longest, where = times.longest_s, f"{job.id} of {case.id}"
    return lines, f", {events:,} phase events; longest iteration {longest:.6g} s ({where})"


def _law_lines(cases: "list[SharedCase]") -> tuple[list[str], str]:
    from rarlib.fabric.law import mean_times

    lines = [_HEADERS["law"]]
    for case in cases:
        times = mean_times(case)
        lines += [_row(case.id, job.id, float(time)) for job, time in zip(case.jobs, times, strict=True)]
    return lines, ""


def _row(instance: str, job: str, *values: float) -> str:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([instance, job, *map(repr, values)])
    return text.getvalue()
