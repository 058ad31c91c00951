"""What the text of notebooks/learn/07 says of its busy hour is so."""

from tests.notebooks.learn import FOLDER, run


def test_one_busy_hour():
    names = run(FOLDER / "07-one-busy-hour.ipynb").names
    parts = {label: table.mean(numeric_only=True) for label, table in names["tables"].items()}
    longest = {label: wait.max() for label, wait in names["waits"].items()}
    assert parts["FIFO"]["wait_order_s"] > 0.0
    assert parts["backfilling"]["wait_order_s"] == 0.0  # nobody is passed over any more
    assert parts["consolidating"]["wait_fragmentation_s"] > 0.0
    assert parts["consolidating"]["contention_s"] < parts["backfilling"]["contention_s"]
    assert parts["shortest remaining"]["turnaround_s"] == min(part["turnaround_s"] for part in parts.values())
    assert longest["shortest remaining"] == max(longest.values())
    assert parts["shortest remaining"]["restart_s"] > 0.0
