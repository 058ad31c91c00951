"""The examples of the manual do what the manual says."""

import re
import shlex
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from rarlib.cli.main import main
from rarlib.cost.trace import TraceCost
from rarlib.experiments import discovery
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.scheduler import Scheduler
from rarlib.simulator.engine import simulate

DOCS = Path(__file__).parents[2] / "docs"
JOBS = Jobs.build(submit_s=[0, 0, 0, 0], gpus=[2, 1, 2, 1], duration_s=[5, 4, 3, 2])


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def schedulers() -> list[Scheduler]:
    """Instances of the schedulers written in the manual."""
    made = []
    for text in blocks("add-a-scheduler.md", "python"):
        module = types.ModuleType("rarlib.schedulers.from_the_manual")
        sys.modules[module.__name__] = module
        exec(compile(text, "add-a-scheduler.md", "exec"), module.__dict__)
        made += [cls() for cls in discovery._classes(module)]
    return made


def test_documented_schedulers_are_found_and_run() -> None:
    """An example that no longer fits the contract would mislead everyone who copies it."""
    found = schedulers()
    assert [s.name for s in found] == ["sjf-packed", "smallest-first"]
    for scheduler in found:
        run = simulate(JOBS, Cluster.parse("2x2"), scheduler, TraceCost())
        assert run.finished.all()


def test_smallest_first_serves_small_gangs_first() -> None:
    run = simulate(JOBS, Cluster.parse("1x2"), schedulers()[1], TraceCost())
    assert run.start_s.tolist() == [4.0, 0.0, 9.0, 0.0]


def test_documented_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands for an own trace work as printed, from the CSV as printed."""
    monkeypatch.chdir(tmp_path)
    Path("my.csv").write_text(blocks("your-trace.md", "csv")[0], encoding="utf-8")
    for line in blocks("your-trace.md", "sh")[0].strip().splitlines():
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, line
    expected = ["allocations.csv", "details.csv", "jobs.csv", "run.json"]
    assert sorted(p.name for p in Path("results/mine").iterdir()) == expected


def test_a_run_is_explored_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same trace, looked at: every command and the Python lines."""
    monkeypatch.chdir(tmp_path)
    Path("my.csv").write_text(blocks("your-trace.md", "csv")[0], encoding="utf-8")
    for line in blocks("explore-a-run.md", "sh")[0].strip().splitlines():
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(line)[1:])
        assert ended.value.code == 0, line
    names: dict[str, Any] = {}
    exec(compile(blocks("explore-a-run.md", "python")[0], "explore-a-run.md", "exec"), names)
    # Three rows of your-trace.md: the gang of eight comes at 45 s and waits for the last of the others.
    assert names["story"](names["run"], 2)["part"].tolist() == ["wait_gpus_s", "holding"]


def test_documented_cluster_file_parses(tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(blocks("your-trace.md", "yaml")[0], encoding="utf-8")
    cluster = Cluster.parse(str(path))
    assert cluster.total_gpus == 16 * 4 + 3 * 8
    assert cluster.rack_gbps.tolist() == [40.0, 40.0]
