"""Whatever a file holds, a user sees a table or one line that names the culprit, never a traceback."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_load import SAMPLES

from rarlib.model.errors import InputError
from rarlib.traces.load import load_trace

_EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from(list(b'0,-."\n\r\x00x{}[]:nN \xff'))), max_size=4)


def _outcome(data: bytes, format: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        path.write_bytes(data)
        try:
            trace = load_trace(path, format)
        except InputError as error:
            assert "\n" not in str(error)
            assert str(folder) in str(error)
        else:
            assert len(trace.jobs) >= 1
            assert trace.provenance["read"] == len(trace.jobs) + sum(trace.provenance["dropped"].values())


@pytest.mark.parametrize("format", SAMPLES)
@given(edits=_EDITS, cut=st.integers(0, 400))
def test_damaged_samples(format: str, edits: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(SAMPLES[format].encode())
    for place, byte in edits:
        data[place % len(data)] = byte
    _outcome(bytes(data[: max(1, len(data) - cut)]), format)
