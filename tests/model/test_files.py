"""Files that rarlib writes are complete or not there; modules that are imported later; what is there and what not."""

import errno
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model import inputs, later, limits
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text, written
from rarlib.model.later import Later


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


def test_text_is_written_the_same_on_every_system(tmp_path: Path) -> None:
    """UTF-8, and line ends as they are."""
    write_text(tmp_path / "a", "é\na\r\n")
    assert (tmp_path / "a").read_bytes() == "é\na\r\n".encode()


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


def test_what_is_there(tmp_path: Path) -> None:
    """Files, folders, and links that lead nowhere, which are there and are neither."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    asked = (inputs.is_there, inputs.is_regular, inputs.is_folder)
    expected = {"file": (True, True, False), "": (True, False, True), "link": (True, False, False)}
    for name, answers in {**expected, "none": (False,) * 3, "nul\0": (False,) * 3}.items():
        assert tuple(ask(f"{tmp_path}/{name}") for ask in asked) == answers, name


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


def test_a_module_is_imported_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not when it is named, and not by tools that inspect modules; a missing one is told with its extra, if any."""
    asked: list[str] = []

    def find(name: str) -> Any:
        asked.append(name)
        if name == "fine.part":
            return SimpleNamespace(answer=42, _own=1)
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(later, "import_module", find)
    module = Later("fine.part")
    assert not hasattr(module, "__wrapped__") and asked == []
    assert (module.answer, module._own) == (42, 1)
    with pytest.raises(AttributeError):
        _ = module.none
    with pytest.raises(InputError, match=r"matplotlib.*rarlib\[figures\]"):
        _ = Later("matplotlib.pyplot").plot
    with pytest.raises(ModuleNotFoundError, match="of_nobody"):
        _ = Later("of_nobody").plot
