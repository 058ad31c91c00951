"""Files of others: what is read, what is refused, and that a message is one short line."""

import errno
import json
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model import inputs, limits
from rarlib.model.errors import InputError, shown
from rarlib.model.files import read_json
from rarlib.model.inputs import file_bytes, file_text, json_entries, json_value
from rarlib.model.plain_yaml import yaml_value

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
    cap = limits.Cap("bytes", 10, "tests", "small")
    (tmp_path / "file").write_bytes(b"0123456789")
    assert file_bytes(tmp_path / "file", cap) == b"0123456789"
    (tmp_path / "file").write_bytes(b"0123456789a")
    with pytest.raises(InputError, match="holds more than 10 bytes"):
        file_bytes(tmp_path / "file", cap)
    (tmp_path / "file").write_bytes(b"\xed\xa0\x80")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        file_text(tmp_path / "file")


@given(PLAIN)
def test_plain_data_come_back_from_yaml_and_json(value: object) -> None:
    assert json_value(json.dumps(value)) == value
    assert yaml_value(yaml.safe_dump(value)) == yaml.safe_load(yaml.safe_dump(value))


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


def test_json_without_utf_8(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_json(tmp_path / "x.json")


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENTRY_CHARACTERS", limits.ENTRY_CHARACTERS._replace(most=300))


@given(st.lists(PLAIN.filter(lambda value: len(json.dumps(value)) < 250), max_size=60), st.integers(0, 1))
def test_entries_are_those_of_the_whole_array(values: list[object], indent: int) -> None:
    # A window that ends within an entry would cut a number or lose a job.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "ENTRY_CHARACTERS", limits.ENTRY_CHARACTERS._replace(most=2_000))
        for plain in (True, False):
            text = json.dumps(values, indent=indent or None, ensure_ascii=plain)
            assert list(json_entries(b"\xef\xbb\xbf" + text.encode() + b"\n", "x")) == values


@pytest.mark.usefixtures("small_window")
def test_an_entry_that_is_too_long() -> None:
    with pytest.raises(InputError, match=r"row 2: .*an entry of more than 300 characters"):
        list(json_entries(json.dumps([1, "x" * 1_000, 2]).encode(), "x"))


@pytest.mark.parametrize("text", ["[1 2]", "[1,]", "[,1]", "[1]x", "[1", "[", "[1] [2]", "{}", "1", "", "[1}"])
def test_what_is_no_array(text: str) -> None:
    with pytest.raises(InputError):
        list(json_entries(text.encode(), "x"))


def test_a_message_is_one_short_line_whatever_it_quotes() -> None:
    # Ten megabytes of somebody's escape codes would fill the terminal.
    error = InputError(f"found {'x' * 10**7}\x1b[2J\n\ud800", file="f\x07" * 10**6, row=3, field="g" * 10**6)
    assert len(str(error)) < 10_000
    assert str(error).isprintable()
    str(error).encode()


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, "\x1b[31m" * 10**5, 10**5_000, [0] * 10**6, {"a": 1}, 1e300, b"\xff" * 10**6, "\ud800"],
    ids=["text", "escapes", "whole", "list", "mapping", "number", "bytes", "surrogate"],
)
def test_a_quoted_value_is_short(value: object) -> None:
    assert len(shown(value)) < 500
    assert shown(value).isprintable()


def test_the_deepest_list_is_quoted() -> None:
    deep: list[object] = []
    for _ in range(10**5):
        deep = [deep]
    assert shown(deep) == "a list of 1"
    while deep:
        deep = deep.pop()  # type: ignore[assignment] - taken apart one by one, as Python itself would recurse


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


def test_yaml_is_as_deep_as_its_deepest_branch() -> None:
    """Branches beside each other count once: neither do they add up, nor do they hide a deep one."""
    beside, most = "x: [1, 2, {a: [3]}]\n" + "".join(f"k{i}: [[{i}], [{i}]]\n" for i in range(100)), limits.NESTING.most
    deep = most - 3  # the mapping, its value, and the scalar inside are levels, too
    assert yaml_value(f"{beside}d: {'[' * deep}1{']' * deep}\n")["k99"] == [[99], [99]]
    with pytest.raises(InputError, match="levels of nesting"):
        yaml_value(f"{beside}d: {'[' * (most + 1)}1{']' * (most + 1)}\n")
    for opened, closed, levels in (("[", "]", most), ("{a: ", "}", most)):
        assert str(yaml_value(opened * (levels - 1) + "1" + closed * (levels - 1))).count("1") == 1
        with pytest.raises(InputError, match=f"more than {most} levels of nesting"):
            yaml_value(opened * levels + "1" + closed * levels)


def test_a_character_that_yaml_does_not_allow_is_named() -> None:
    """The first line of the parser's message says which; the others say only where."""
    with pytest.raises(InputError, match=r"^c\.yaml: not valid YAML: unacceptable character #x0007"):
        yaml_value("a: b\x07", "c.yaml")
