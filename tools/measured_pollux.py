"""Pollux' testbed in docs/measured.md: errors of mean completion times, run by run.

python -m tools.measured_pollux   # needs the measured files (data/measured.tsv); the runs are the stored ones
"""

from collections.abc import Mapping

from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import stored_predictions
from rarlib.measured.pollux import SOURCE_RUNS, PolluxRuns
from rarlib.model.errors import InputError
from tools.section import Section

SECTION = Section("measured.md", "pollux", "tools.measured_pollux")

COLUMNS = {
    "ours, as announced (`testbed-profiles`)": "testbed-profiles",
    "with details of the authors (`testbed-as-authors`)": "testbed-as-authors",
    "slowed as in Sia (`testbed-slowed`)": "testbed-slowed",
}
_AUTHORS = "authors' simulator"

_LABELS = {
    "pollux": "Pollux",
    "optimus": "Optimus, tuned jobs",
    "tiresias": "Tiresias, tuned jobs",
    "optimus-realistic": "Optimus, untuned jobs",
    "tiresias-realistic": "Tiresias, untuned jobs",
    "pollux-p1": "Pollux, p = 1",
    "pollux-p-10": "Pollux, p = -10",
}


def render(measured: Mapping[str, float], predicted: Mapping[str, Mapping[str, float]]) -> str:
    """The section as Markdown: predicted over measured, less 1.

    Args:
        measured: hours by row, as `OutcomeRow.id`.
        predicted: the same for each column of the table; a row may be missing.
    """
    lines = [f"| run | {' | '.join(predicted)} |", "|---" * (len(predicted) + 1) + "|"]
    for run in SOURCE_RUNS:
        hours = measured[f"{run}/mean"]
        errors = (
            f"{found[row] / hours - 1:+.1%}" if (row := f"{run}/mean") in found else "not run"
            for found in predicted.values()
        )
        lines.append(f"| {_LABELS[run]} | {' | '.join(errors)} |")
    return "\n".join(lines)


def from_source(source: PolluxRuns) -> str:
    """The section for the measured runs."""
    ours = {title: stored_predictions(name) for title, name in COLUMNS.items()}
    authors = {row.id: row.hours for row in source.outcomes("authors")}
    return render({row.id: row.hours for row in source.measured}, {**ours, _AUTHORS: authors})


def main() -> None:
    """Write the section.

    Raises:
        InputError: the measured files are not at hand.
    """
    frames = load_measured("pollux")
    if not frames:
        raise InputError("needs the measured files; set RARLIB_MIRROR", file="data/measured.tsv")
    SECTION.write(from_source(PolluxRuns(frames)))


if __name__ == "__main__":
    main()
