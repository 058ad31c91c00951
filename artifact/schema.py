"""Plain data checked by a JSON schema; what is wrong is one line that names the file, the field and the rule."""

import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarlib.model.errors import InputError, did_you_mean, shown
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

# Importing jsonschema would spend 2 s on a grammar of international addresses that is not used.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

SCHEMAS = ROOT / "config" / "schema"


def check_schema(content: Any, schema: Path, file: object) -> None:
    """Refuse unknown keys, missing keys and values out of range.

    Raises:
        InputError: names the file and the field.
    """
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - it takes a quarter of a second

    _require_text_keys(content, file)
    error = best_match(_validator(schema).iter_errors(content))
    if error is not None:
        raise InputError(_described(error), file=file, field=".".join(map(str, error.absolute_path)) or None)


@cache
def _validator(schema: Path) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(yaml_file(schema))


def _require_text_keys(value: Any, file: object, place: tuple[str, ...] = ()) -> None:
    """Refuse a mapping with a key that is no text, which a schema cannot be asked about."""
    if isinstance(value, list):
        for each in value:
            _require_text_keys(each, file, place)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if not isinstance(key, str):
            raise InputError(f"key {shown(key)} is not text", file=file, field=".".join(place) or None)
        _require_text_keys(each, file, (*place, key))


def _described(error: "ValidationError") -> str:
    if error.validator != "additionalProperties":
        return error.message
    known, patterns = error.schema.get("properties", {}), error.schema.get("patternProperties", {})
    unknown = next(key for key in error.instance if key not in known and not any(re.search(p, key) for p in patterns))
    if not patterns:
        return f"unknown key {shown(unknown)}{did_you_mean(unknown, known)}; known: {', '.join(known)}"
    others = [key for key in error.instance if key != unknown]
    return f"key {shown(unknown)} does not match {' or '.join(patterns)}{did_you_mean(str(unknown), others)}"
