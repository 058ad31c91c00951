"""The parameters of a figure's notebook: where they stand in the configuration, which values they may take."""

import ast
from collections.abc import Mapping
from typing import Any

import pandas as pd
import yaml

from artifact.run.config import SCHEMA, check_config
from artifact.run.settings import configuration, key_of, overlaid, section_of, settings_of, split, values_of
from rarlib.model.errors import InputError


def with_knobs(config: Mapping[str, Any], tables: list[str], knobs: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration in which a figure's tables have other parameters.

    Args:
        config: a configuration.
        tables: of the figure.
        knobs: parameter -> value.

    Raises:
        InputError: an unknown parameter, or a value that the schema does not allow; the field is the parameter.
    """
    changed = dict(config)
    for name, value in knobs.items():
        over: dict[str, Any] = {}
        for table in tables:
            experiment, part = split(table, config)
            section, key = section_of(config, experiment), key_of(name)
            own = key in section.get("parts", {}).get(part, {})
            if own or key in settings_of(section, part):
                place = {"parts": {part: {key: value}}} if own else {key: value}
                over = overlaid(over, {experiment.replace("-", "_"): place})
        if not over:
            values_of(tables, [name], config)  # raises, and names those that are known
        changed = overlaid(changed, {"experiments": over})
        try:
            check_config(changed)
        except InputError as error:
            raise InputError(error.rule, field=name) from None
    return changed


def given(knobs: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that have a value; a list may be written as text (`[a, b]`), as a command line does."""
    texts = {name: value for name, value in knobs.items() if isinstance(value, str) and value[:1] == "["}
    return {name: value for name, value in knobs.items() if value is not None} | {
        name: yaml.safe_load(text) for name, text in texts.items()
    }


def meaning(table: str, key: str) -> str:
    """Description of a setting in the schema of the configuration; empty if it has none."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    experiment, part = split(table, configuration())
    section = schema["properties"]["experiments"]["properties"][experiment.replace("-", "_")]["properties"]
    parts = section.get("parts", {}).get("properties", {}).get(part, {}).get("properties", {})
    rule = parts.get(key, section.get(key, {}))
    if "$ref" in rule:
        rule = {**schema["$defs"][rule["$ref"].rpartition("/")[2]], **rule}
    return str(rule.get("description", ""))


def listed(tables: list[str], names: list[str], made: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """A figure's parameters: value, the headline's value, meaning; those that are not set anywhere are left out.

    Args:
        tables: of the figure.
        names: of the parameters.
        made: settings that made the tables, by table.
    """
    usual = values_of(tables, names, configuration())
    rows = []
    for name in names:
        first = next(table for table in tables if key_of(name) in _settings(table))
        value = made[first].get(key_of(name))
        if value is not None or usual[name] is not None:
            rows.append((name, value, usual[name], meaning(first, key_of(name))))
    return pd.DataFrame(rows, columns=["parameter", "value", "headline", "meaning"], dtype=object).set_index(
        "parameter"
    )


def _settings(table: str) -> dict[str, Any]:
    experiment, part = split(table, configuration())
    return settings_of(section_of(configuration(), experiment), part)


def refuse_unknown(known: Mapping[str, Any]) -> None:
    """Refuse a parameter that papermill has set but that the notebook does not have; papermill itself only warns.

    Raises:
        InputError: naming the parameter.
    """
    try:
        from IPython import get_ipython  # noqa: PLC0415 - a script has no IPython
    except ImportError:
        return
    shell = get_ipython()
    history = shell.user_ns.get("In", []) if shell is not None else []
    for source in history:
        if source.startswith("# Parameters\n"):
            for node in ast.parse(source).body:
                name = (
                    node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""
                )
                if name and name not in known:
                    raise InputError(f"unknown parameter; known: {', '.join(known) or 'none'}", field=name)
