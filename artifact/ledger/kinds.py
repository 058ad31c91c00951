"""What kind of value each key of a file of claims holds: text, a number, levels of a column.

The files may come from elsewhere (a results folder), and YAML reads anything as something.
What the keys mean is said in `config/claims/README.md`; here only the kinds are checked, before anybody uses them.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from rarlib.model import limits
from rarlib.model.errors import InputError, shown

_TABLE = re.compile(r"\w[\w.-]*", re.ASCII)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_level(value: Any) -> bool:
    return isinstance(value, str | bool | int) or _is_number(value)


def _list_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(kind, value))


def _one_or_list_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: kind(value) or _list_of(kind)(value)


def _mapping_to(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(_is_text, value)) and all(map(kind, value.values()))


def _is_table(value: Any) -> bool:
    return isinstance(value, str) and _TABLE.fullmatch(value) is not None


_Kind = tuple[str, Callable[[Any], bool]]
_TEXT: _Kind = ("text", _is_text)
_NAMES: _Kind = ("text or a list of texts", _one_or_list_of(_is_text))
_FLAG: _Kind = ("true or false", _is_flag)
_NUMBER: _Kind = ("a number", _is_number)
_NUMBERS: _Kind = ("a mapping to numbers", _mapping_to(_is_number))
_LEVELS: _Kind = ("a list of levels", _list_of(_is_level))
_CHOSEN: _Kind = ("a mapping from columns to levels", _mapping_to(_one_or_list_of(_is_level)))
_TABLE_NAME: _Kind = ("the name of a table", _is_table)

_FORMULA: Mapping[str, _Kind] = {
    **dict.fromkeys(("kind", "along", "metric"), _TEXT),
    **dict.fromkeys(("better", "worse"), _NAMES),
    **dict.fromkeys(("strict", "apart", "groups"), _FLAG),
    **dict.fromkeys(("at_least", "at_most", "than", "share", "loss"), _NUMBER),
    **dict.fromkeys(("ascending", "levels"), _LEVELS),
    **dict.fromkeys(("select", "among", "relative_to"), _CHOSEN),
    "table": _TABLE_NAME,
    "looks": ("a list of whole numbers above 0", _list_of(_is_count)),
}
_ENTRY: Mapping[str, _Kind] = {
    **dict.fromkeys(
        ("published", "statement", "where", "trust", "reason", "note", "trivial", "same_as", "role"), _TEXT
    ),
    "needs": ("a list of names of tables", _list_of(_is_table)),
    "command": _NAMES,
    "tolerance": _NUMBERS,
    "select": _CHOSEN,
}
_ORDER: Mapping[str, _Kind] = {"better": _NAMES, "worse": _NAMES, "metric": _TEXT, "where": _CHOSEN}
_PROOF: Mapping[str, _Kind] = {"why": _TEXT, "test": _TEXT}
_DEFAULTS: Mapping[str, _Kind] = {"tolerance": _NUMBERS, "select": _CHOSEN, "as_stated": _CHOSEN}


def check_kinds(content: Mapping[str, Any], file: object) -> None:
    """Refuse a value of another kind than its key holds, anywhere in a file of claims.

    Args:
        content: the file, a mapping with a list of `claims`.
        file: named in the error.

    Raises:
        InputError: naming the entry, the key and the kind.
    """
    _check(content.get("defaults"), _DEFAULTS, file, "defaults")
    for position, entry in enumerate(content["claims"]):
        name = entry.get("published") if isinstance(entry, dict) else None
        where = name if isinstance(name, str) and name else f"claims[{position}]"
        _check(entry, _ENTRY, file, where)
        if isinstance(entry, dict):
            _check(entry.get("robustness"), _ORDER, file, f"{where}.robustness")
            _check(entry.get("impossible"), _PROOF, file, f"{where}.impossible")
            proof = entry["impossible"].get("formula") if isinstance(entry.get("impossible"), dict) else None
            for key, formula in (*((key, entry.get(key)) for key in ("formula", "direction")), ("impossible", proof)):
                _check_formula(formula, file, f"{where}.{key}")


def _check_formula(formula: Any, file: object, where: str, level: int = 0) -> None:
    _check(formula, _FORMULA, file, where)
    if isinstance(formula, dict) and "of" in formula:
        parts = formula["of"]
        if not isinstance(parts, list) or not parts or level > limits.NESTING.most:
            raise InputError(f"must be a list of formulas, found {shown(parts)}", file=file, field=f"{where}.of")
        for part in parts:
            _check_formula(part, file, where, level + 1)


def _check(values: Any, kinds: Mapping[str, _Kind], file: object, where: str) -> None:
    """Check the values of a mapping; whether it has to be one, and which keys it needs, is told elsewhere."""
    if not isinstance(values, dict):
        return
    for key, (words, accepts) in kinds.items():
        if key in values and not accepts(values[key]):
            raise InputError(f"must be {words}, found {shown(values[key])}", file=file, field=f"{where}.{key}")
