"""What the pages say about the cost of the fast law and the exact mode is what the records hold."""

from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
GOAL = 500_000


def page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_page_states_how_many_cases_reach_the_goal():
    record = pd.read_csv(BENCHMARKS / "fabric_events.csv")
    fabrics = record[record["case"].str.startswith("fabric-")]
    reached = int((fabrics["events_per_s"] >= GOAL).sum())
    assert f"The goal of 500,000 is reached on {reached} of them." in page("fabric.md")
    assert f"on {len(fabrics)} random fabrics" in page("fabric.md")


def test_the_page_states_the_seconds_of_the_whole_philly_table():
    record = pd.read_csv(BENCHMARKS / "fabric.csv").set_index(["law", "scheduler"])["cpu_s"]
    for scheduler in ("fifo", "sjf", "las"):
        assert f"{record['law', scheduler]:.0f} s with `{scheduler}`" in page("fabric.md")
