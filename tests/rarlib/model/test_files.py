"""Files: what rarlib writes is complete or not there, and what it reads is bounded and refused in one line."""

import errno
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model import inputs, limits
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text, written
from rarlib.model.inputs import file_bytes, file_text, json_entries
from rarlib.model.plain_yaml import yaml_value


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


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc\u00e9\U0001f600", max_size=4), inner),
    max_leaves=12,
)  # fmt: skip


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    # A pipe without a writer would be waited for without end.
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "link")
    (tmp_path / "file").write_bytes(b"x")
    for path, rule in (
        (tmp_path / "pipe", "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (tmp_path, "is a folder"),
        (tmp_path / "none", "no such file"),
        (tmp_path / "file" / "below", "no such file"),
        (tmp_path / "link", "too many levels"),
        (tmp_path / ("n" * 5_000), "file name too long"),
        (tmp_path / "nul\0", "NUL"),
    ):
        with pytest.raises(InputError, match=rule) as caught:
            file_bytes(path)
        assert len(str(caught.value)) < 600
        assert "\0" not in str(caught.value)
    assert file_bytes(tmp_path / "file") == b"x"


def test_a_file_is_read_up_to_its_cap(tmp_path: Path) -> None:
    cap = limits.Cap("bytes", 10)
    (tmp_path / "file").write_bytes(b"0123456789")
    assert file_bytes(tmp_path / "file", cap) == b"0123456789"
    (tmp_path / "file").write_bytes(b"0123456789a")
    with pytest.raises(InputError, match="holds more than 10 bytes"):
        file_bytes(tmp_path / "file", cap)
    (tmp_path / "file").write_bytes(b"\xed\xa0\x80")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        file_text(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: &x [1]\nb: *x", "row 2: not valid YAML: aliases"),
        ("a: &x [1]\nb: [*x, *x]", "aliases"),
        ("[" * 100_000, "more than 50 levels of nesting|more than"),
        ("[" * 60 + "]" * 60, "more than 50 levels of nesting"),
        ("a: 1\nb: 2\na: 3", "row 3: not valid YAML: key 'a' is given twice"),
        ("9" * 5_000, "not valid YAML"),
        ("!!int ''", "not valid YAML"),
        ("!!bool x", "not valid YAML"),
        ("!!timestamp x", "not valid YAML"),
        ("2020-13-45", "not valid YAML"),
        ("!!float " + ":".join(["1"] * 400), "not valid YAML"),
        ("!!python/object/apply:os.system [ls]", "not valid YAML"),
        ("\x07", "not valid YAML"),
        ("a: [", "not valid YAML"),
        ("a\n---\nb", "not valid YAML"),
        ("a: " + "b" * 200_000, "more than 196,608 bytes of YAML"),
    ],
)
def test_yaml_that_is_refused(text: str, rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        yaml_value(text, "c.yaml")
    assert str(caught.value).startswith("c.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("9" * 5_000, "not valid JSON"),
        ("[NaN]", "NaN is no number"),
        ("[-Infinity]", "-Infinity is no number"),
        ('"\\ud800"', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
        ("[1", "not valid JSON"),
        ("", "not valid JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=f"x.json.*{rule}"):
        read_json(tmp_path / "x.json")
    if text:
        with pytest.raises(InputError, match=f"row 2: .*{rule}"):
            list(json_entries(f"[1, {text}]".encode() if rule != "not valid JSON" else f"[1, {text}".encode(), "x"))


@given(st.lists(PLAIN.filter(lambda value: len(json.dumps(value)) < 250), max_size=60), st.integers(0, 1))
def test_entries_are_those_of_the_whole_array(values: list[object], indent: int) -> None:
    # A window that ends within an entry would cut a number or lose a job.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "ENTRY_CHARACTERS", limits.ENTRY_CHARACTERS._replace(most=2_000))
        for plain in (True, False):
            text = json.dumps(values, indent=indent or None, ensure_ascii=plain)
            assert list(json_entries(b"\xef\xbb\xbf" + text.encode() + b"\n", "x")) == values


def test_a_message_is_one_short_line_whatever_it_quotes() -> None:
    # Ten megabytes of somebody's escape codes would fill the terminal.
    error = InputError(f"found {'x' * 10**7}\x1b[2J\n\ud800", file="f\x07" * 10**6, row=3, field="g" * 10**6)
    assert len(str(error)) < 10_000
    assert str(error).isprintable()
    str(error).encode()


def test_paths_that_nothing_can_have() -> None:
    for path in ("n" * 5_000, "nul\0", Path("x" * 300)):
        assert not inputs.is_there(path)
        assert not inputs.is_regular(path)
        assert not inputs.is_folder(path)


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(errno.EIO, "Input/output error"), "input/output error"), (OSError("odd"), "unknown error")],
)
def test_a_disk_that_fails_while_it_is_read(
    error: OSError, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise error

    (tmp_path / "a.csv").write_text("a")
    monkeypatch.setattr(inputs, "bounded", fails)
    with pytest.raises(InputError, match=f"a.csv: cannot be read: {said}$"):
        inputs.file_bytes(tmp_path / "a.csv")
