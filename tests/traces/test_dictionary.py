from pathlib import Path

from rarlib.model.jobs import COLUMNS
from rarlib.traces.dictionary import JOBS_CSV, PROVENANCE, render
from rarlib.traces.load import load_trace


def test_committed_dictionary_is_the_schemas() -> None:
    # A column added to the schema would stay undocumented. Remedy: python -m rarlib.traces.dictionary
    committed = Path(__file__).parents[2] / "docs" / "data-dictionary.md"
    assert committed.read_text(encoding="utf-8") == render()


def test_every_column_is_there_once() -> None:
    text = render()
    for column in (*COLUMNS, *JOBS_CSV):
        assert f"| {column.name} | {column.kind} |" in text


def test_provenance_is_what_a_trace_carries(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("submit_s,gpus,duration_s\n0,1,1\n")
    assert set(load_trace(tmp_path / "t.csv").provenance) == {column.name for column in PROVENANCE}
