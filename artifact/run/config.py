"""Check of the pipeline's configuration before anything runs; an error is one line that names the key."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from artifact.run import jobs  # noqa: F401 - keeps jsonschema from building a grammar that is not needed
from rarlib.model.errors import InputError, did_you_mean, shown
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

SCHEMA = ROOT / "config" / "schema" / "config.schema.yaml"


def _require_text_keys(value: Any, place: tuple[str, ...] = ()) -> None:
    """Refuse a mapping with a key that is no text, which a schema cannot be asked about."""
    if isinstance(value, list):
        for each in value:
            _require_text_keys(each, place)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if not isinstance(key, str):
            raise InputError(f"key {shown(key)} is not text", file="config", field=".".join(place) or None)
        _require_text_keys(each, (*place, key))


def check_config(config: Mapping[str, Any], schema: Path = SCHEMA) -> None:
    """Refuse unknown keys, missing keys, values out of range, and names that are not defined in the configuration."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - after the import of `jobs`
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    _require_text_keys(config)
    rules = yaml_file(schema)
    error = best_match(Draft202012Validator(rules).iter_errors(config))
    if error is not None:
        raise InputError(_described(error), file="config", field=".".join(map(str, error.absolute_path)) or None)
    experiments = config["experiments"]
    tables = [f"{name.replace('_', '-')}-{part}" for name, section in experiments.items() for part in section["cells"]]
    tutorials = sorted(path.stem for path in (ROOT / "notebooks/learn").glob("*.ipynb"))
    for name in config["only"]:
        if name not in (*experiments, *tables, *tutorials):
            near = did_you_mean(name, [*experiments, *tables, *tutorials])
            raise InputError(
                f"no experiment, table or tutorial {name!r}{near}; experiments: {', '.join(experiments)}",
                file="config",
                field="only",
            )
    for name, section in experiments.items():
        for part, data in section.get("reads", {}).items():
            field = f"experiments.{name}.reads.{part}"
            if part not in section["cells"]:
                raise InputError(f"no table {part!r}; known: {', '.join(section['cells'])}", file="config", field=field)
            if (data in config["traces"]) + (data in config["profiles"]) != 1:
                raise InputError(f"{data!r} is not listed under traces or profiles, once", file="config", field=field)


def check_or_exit(config: Mapping[str, Any]) -> None:
    """`check_config` for the Snakefile: a bad configuration ends with one line and exit code 2."""
    try:
        check_config(config)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - no logger is running yet
        sys.exit(2)


def _described(error: "ValidationError") -> str:
    if error.validator != "additionalProperties":
        return error.message
    known, patterns = error.schema.get("properties", {}), error.schema.get("patternProperties", {})
    unknown = next(key for key in error.instance if key not in known and not any(re.search(p, key) for p in patterns))
    if not patterns:
        return f"unknown key {shown(unknown)}; known: {', '.join(known)}"
    others = [key for key in error.instance if key != unknown]
    return f"key {shown(unknown)} does not match {' or '.join(patterns)}{did_you_mean(str(unknown), others)}"
