"""Files that rarlib writes are complete or not there; what is read is read up to its cap."""

import errno
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model import inputs, limits
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text, written


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    """Until then it has another name in the same folder, which may be new; afterwards there is nothing else."""
    path = tmp_path / "a" / "b" / "c.txt"
    for text in ("one", "two"):
        before = path.read_text() if path.exists() else None
        with written(path) as part:
            part.write_text(text)
            assert part.parent == path.parent and part != path
            assert (path.read_text() if path.exists() else None) == before
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_not_finished_does_not_appear(tmp_path: Path) -> None:
    """Whatever goes wrong: the old one stays, and nothing lies beside it."""
    path = tmp_path / "c.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), written(path) as part:
        part.write_text("half")
        raise ZeroDivisionError
    with pytest.raises(InputError, match=r"c\.txt: cannot write there: No space left$"), written(path) as part:
        part.write_text("half")
        raise OSError(errno.ENOSPC, "No space left")
    with pytest.raises(InputError, match=r"c\.txt: cannot write there: odd$"), written(path) as part:
        raise OSError("odd")
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == [(path, "old")]
    with pytest.raises(InputError, match="cannot write there"):
        write_text(path / "below", "text")


def test_json_is_a_mapping_up_to_its_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte more is refused, and so is a list; a missing file is told in the caller's words."""
    path = tmp_path / "x.json"
    text = json.dumps({"a": [1, "\U0001f600"]})
    path.write_text(text)
    monkeypatch.setattr(limits, "JSON_BYTES", limits.JSON_BYTES._replace(most=len(text)))
    assert read_json(path) == {"a": [1, "\U0001f600"]}
    path.write_text(text + " ")
    with pytest.raises(InputError, match=f"holds more than {len(text)} bytes"):
        read_json(path)
    path.write_text("[1]")
    with pytest.raises(InputError, match=r"x\.json: must be a mapping"):
        read_json(path)
    for words in ({}, {"missing": "run the pipeline first"}):
        with pytest.raises(InputError, match=f"y.json: {words.get('missing', 'no such file')}$"):
            read_json(tmp_path / "y.json", **words)


@pytest.mark.parametrize("length", [0, 1, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20])
def test_a_stream_is_read_to_its_end_up_to_the_cap(length: int) -> None:
    """In pieces of the stream's choice."""

    def stream(piece: int) -> Any:
        left = [length]

        def read(size: int) -> bytes:
            taken = min(size, piece, left[0])
            left[0] -= taken
            return b"x" * taken

        return SimpleNamespace(read=read)

    for piece in (2**18 + 1, 2**22):
        assert inputs.bounded(stream(piece), "f", length) == b"x" * length
        if length:
            with pytest.raises(InputError, match=f"f: holds more than {length - 1:,} bytes"):
                inputs.bounded(stream(piece), "f", length - 1)
            with pytest.raises(InputError, match=f"f: unpacks to more than {length - 1:,} bytes"):
                inputs.bounded(stream(piece), "f", length - 1, rule="unpacks to")
