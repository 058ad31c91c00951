"""Records of the commands' costs, the README's table of them, and the times that the Makefile tells.

python -m tools.costs record   # from results/ and results/smoke/ into benchmarks/costs.csv
python -m tools.costs          # from benchmarks/costs.csv into the README and the Makefile
python -m tools.costs parts    # CPU seconds of the last `make reproduce` by experiment; its ten largest jobs
python -m tools.costs predict  # seconds that `make reproduce` will take here, at the pace of results/smoke
"""

import os
import re
import sys
from math import ceil
from pathlib import Path

import pandas as pd

from artifact.run.costs import (
    COMMANDS,
    COST_COLUMNS,
    PROBE,
    measured_costs,
    minutes,
    predicted_wall_s,
    probe_s,
    recorded_probe_s,
)
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from tools.section import Section
from tools.times import recorded_seconds

SECTION = Section("README.md", "costs", "tools.costs")


def collect(root: Path) -> pd.DataFrame:
    """Seconds and peak memory of every job of the last runs in a checkout, disk usage, and the probe.

    Raises:
        InputError: when a command has left no benchmark records.
    """
    rows: list[tuple[str, str, str, float, str]] = []
    for command, folder in COMMANDS.items():
        jobs = measured_costs(root / folder)
        if jobs.empty:
            raise InputError(f"no benchmark records here; make them with `make {command}`", file=folder)
        for job in jobs.to_dict("records"):
            rows += [(command, job["rule"], job["job"], job[unit], unit) for unit in ("s", "MB")]
    rows.append(("reproduce", "disk", "results", _megabytes(root / "results", skip="smoke"), "MB"))
    rows.append(("setup", "disk", ".venv", _megabytes(root / ".venv"), "MB"))
    rows.append(("setup", PROBE, "", probe_s(), "s"))
    return pd.DataFrame(rows, columns=COST_COLUMNS)


def _megabytes(folder: Path, skip: str = "") -> float:
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    return sum(p.lstat().st_size for p in files if p.relative_to(folder).parts[0] != skip) / 1e6


def table(records: pd.DataFrame) -> str:
    """The README's table of costs, for two cores of the measured machine."""
    disk = records[records["rule"] == "disk"].set_index("job")["value"]
    lines = ["| command | its jobs on 2 cores | memory of a job | disk |", "|---|---|---|---|"]
    for command, taken in (("reproduce", f"{disk['results']:.0f} MB"), ("smoke", "a few MB")):
        own = records[(records["command"] == command) & (records["unit"] == "MB") & (records["rule"] != "disk")]
        time, most = f"{minutes(records, command)} min", f"up to {own['value'].max():.0f} MB"
        lines.append(f"| `make {command}` | {time} | {most} | {taken} |")
    lines.append(f"| `make test` | {minutes_of_tests()} min | | |")
    lines.append(f"| environment, once | 10 s with uv, 1 to 3 min with pip | | {disk['.venv'] / 1000:.1f} GB |")
    return "\n".join(lines)


def minutes_of_tests() -> int:
    """Minutes that `make test` takes on the two cores that were measured: a minute of lint, and all test files."""
    return ceil(1.0 + sum(recorded_seconds().values()) / 2 / 60)


def into_makefile(text: str, records: pd.DataFrame) -> str:
    """The Makefile's text with the predicted minutes in the targets of the measured commands.

    Raises:
        InputError: when a target says no time.
    """
    times_of = {**{command: minutes(records, command) for command in COMMANDS}, "test": minutes_of_tests()}
    for command, time in times_of.items():
        target = re.search(rf"^{command}:.*\n(?:\t.*\n)*", text, re.MULTILINE)
        told = f"{time} minute{'s' * (time > 1)}"
        said, times = re.subn(r"(?<=bout )\d+ minutes?", told, target[0] if target else "")
        if target is None or not times:
            raise InputError(f"target {command} says no `about N minutes`", file="Makefile")
        text = text.replace(target[0], said)
    return text


def predicted_s(records: pd.DataFrame, smoke: pd.DataFrame, cores: int) -> float:
    """Predicted seconds of the whole reproduction on a machine that has just made the smoke run.

    The current speed of the machine is estimated from the jobs that its smoke run shares with the recorded one.

    Args:
        records: as in `benchmarks/costs.csv`.
        smoke: result of `artifact.run.costs.measured_costs` for results/smoke.
        cores: number of cores.

    Raises:
        InputError: when no job of the smoke run is among the records.
    """
    recorded = records[(records["command"] == "smoke") & (records["unit"] == "s")].set_index(["rule", "job"])["value"]
    both = smoke.set_index(["rule", "job"])["s"].to_frame().join(recorded, how="inner")
    if both.empty:
        raise InputError("no job of the recorded smoke run; make it with `make smoke`", file=COMMANDS["smoke"])
    pace = both["s"].sum() / both["value"].sum()
    return float(predicted_wall_s(records, "reproduce", cores, recorded_probe_s(records)) * pace)


def parts(jobs: pd.DataFrame) -> str:
    """CPU seconds by rule and experiment, and the ten jobs that take most."""
    experiment = jobs["job"].str.partition("-")[0].where(jobs["rule"] == "cell", "")
    by_part = jobs.groupby([jobs["rule"], experiment.rename("experiment")])["cpu_s"].agg(["sum", "count"])
    total = f"{jobs['cpu_s'].sum():.0f} CPU s in {len(jobs)} jobs"
    return "\n\n".join([total, by_part.to_string(), jobs.nlargest(10, "cpu_s").to_string(index=False)])


def main() -> None:
    """Predict, record, or update README and Makefile."""
    path, makefile = Path("benchmarks/costs.csv"), Path("Makefile")
    if sys.argv[1:] == ["predict"]:
        records = pd.read_csv(path, keep_default_na=False)
        print(round(predicted_s(records, measured_costs(Path(COMMANDS["smoke"])), os.cpu_count() or 1)))
        return
    if sys.argv[1:] == ["parts"]:
        print(parts(measured_costs(Path(COMMANDS["reproduce"]))))
        return
    if sys.argv[1:] == ["record"]:
        write_text(path, collect(Path()).to_csv(index=False, lineterminator="\n", float_format="%.3f"))
    records = pd.read_csv(path, keep_default_na=False)
    SECTION.write(table(records))
    write_text(makefile, into_makefile(makefile.read_text(encoding="utf-8"), records))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
