"""The parameters of a figure's notebook: which of its names are settings of the figure, and which differ from them."""

import ast
import json
import keyword
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from artifact.run.config import check_config
from artifact.run.settings import configuration, key_of, overlaid, section_of, settings_of, split, values_of
from rarlib.model.errors import InputError


def headline(tables: Iterable[str]) -> dict[str, Any]:
    """Parameters of a figure with the headline's values; of tables that share one, the first counts."""
    found: dict[str, Any] = {}
    for experiment, part in (split(table, configuration()) for table in tables):
        found = settings_of(section_of(configuration(), experiment), part) | found
    return {_name_of(key): value for key, value in found.items()}


def made_with(tables: Iterable[str], made: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The values of these parameters that made the tables, by the settings of each table."""
    found: dict[str, Any] = {}
    for table in tables:
        found = dict(made[table]) | found
    return {_name_of(key): value for key, value in found.items()}


def differing(tables: Iterable[str], names: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that differ from the headline; None stands for its value.

    A list may be written as text (`[a, b]`), as a command line does.

    Args:
        tables: of the figure.
        names: of a notebook; those that are no parameters of the figure do not count.
        values: parameters, known or not.
    """
    usual = headline(tables)
    mine = {name: value for name, value in names.items() if name in usual} | dict(values)
    found = {name: _read(value) for name, value in mine.items() if value is not None}
    return {name: value for name, value in found.items() if _plain(value) != _plain(usual.get(name))}


def with_parameters(config: Mapping[str, Any], tables: list[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration in which a figure's tables have other parameters.

    Args:
        config: a configuration.
        tables: of the figure.
        values: parameter -> value.

    Raises:
        InputError: an unknown parameter, or a value that the schema does not allow; the field is the parameter.
    """
    changed = dict(config)
    for name, value in values.items():
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
        at = (error.field or "").split(".")
        raise InputError(error.rule, field=next((name for name in values if key_of(name) in at), None)) from None
    return changed


def refuse_unknown(tables: Iterable[str]) -> None:
    """Refuse a parameter that papermill has set but that the figure does not have; papermill itself only warns.

    Raises:
        InputError: naming the parameter.
    """
    try:
        from IPython import get_ipython  # noqa: PLC0415 - a script has no IPython
    except ImportError:
        return
    shell, known = get_ipython(), headline(tables)
    sources = shell.user_ns.get("In", []) if shell is not None else []
    for source in (each for each in sources if each.startswith("# Parameters\n")):
        for node in ast.parse(source).body:
            for target in node.targets if isinstance(node, ast.Assign) else []:
                if isinstance(target, ast.Name) and target.id not in known:
                    raise InputError(f"unknown parameter; known: {', '.join(sorted(known))}", field=target.id)


def _name_of(key: str) -> str:
    return f"{key}_" if keyword.iskeyword(key) else key


def _read(value: Any) -> Any:
    return yaml.safe_load(value) if isinstance(value, str) and value[:1] == "[" else value


def _plain(value: Any) -> Any:
    """As JSON holds it: lists for tuples."""
    return json.loads(json.dumps(value, default=str))
