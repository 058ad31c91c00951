import json
from collections.abc import Callable
from pathlib import Path

from tools.dictionary import ALLOCATIONS_CSV, DETAILS_CSV, JOBS_CSV, RUN_JSON, render


def test_committed_dictionary_is_the_schemas() -> None:
    # A column added to the schema would stay undocumented. Remedy: python -m tools.dictionary
    committed = Path(__file__).parents[3] / "docs" / "data-dictionary.md"
    assert committed.read_text(encoding="utf-8") == render()


def test_a_run_writes_what_the_dictionary_says(tmp_path: Path, run: Callable[..., tuple[int, object]]) -> None:
    # A column renamed in the simulator would leave the dictionary wrong.
    (tmp_path / "t.csv").write_text("submit_s,gpus,duration_s\n0,1,1\n")
    words = f"--trace {tmp_path}/t.csv --cluster 1x1 --scheduler fifo --out {tmp_path}/out".split()
    assert run("simulate", *words)[0] == 0
    for name, columns in (("jobs.csv", JOBS_CSV), ("allocations.csv", ALLOCATIONS_CSV), ("details.csv", DETAILS_CSV)):
        header = (tmp_path / "out" / name).read_text().splitlines()[0]
        assert header == ",".join(column.name for column in columns)
    written = set(json.loads((tmp_path / "out" / "run.json").read_text()))
    assert written == {column.name for column in RUN_JSON if column.required}
    words[words.index("1x1")] = "t4:1x1"
    more = ["--fabric", "cluster", "--applications", "sia"]
    assert run("simulate", *words, *more)[0] == 0
    assert set(json.loads((tmp_path / "out" / "run.json").read_text())) == {column.name for column in RUN_JSON}
