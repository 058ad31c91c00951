"""Settings of an experiment's tables, and in what they differ from the headline's."""

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Any

from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.model.plain_yaml import yaml_file, yaml_value
from rarlib.model.project import STUDY, placed_file

_ABOUT_CELLS = ("module", "cells", "reads", "without", "parts", "alone")
"""Keys of an experiment's section that are not settings of its tables."""


def merged(*paths: Path) -> dict[str, Any]:
    """The configuration of a file, overlaid with those of others: mappings are merged, all else is replaced."""
    return reduce(overlaid, map(_mapping, paths))


def _mapping(path: Path) -> dict[str, Any]:
    content = yaml_file(path)
    if not isinstance(content, dict | None):
        raise InputError("must be a mapping", file=path)
    return content or {}


def overlaid(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping overlaid with another one: mappings are merged, all else is replaced."""
    result = dict(first)
    for key, value in second.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = overlaid(result[key], value) if both else value
    return result


def typed(given: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration whose texts are numbers or lists wherever they are in another one.

    Snakemake's command line (`--config 'experiments={sjf_bco: {seeds: 5}}'`) hands over every value as text.
    """

    def value(text: Any, usual: Any) -> Any:
        if isinstance(text, Mapping):
            return typed(text, usual if isinstance(usual, Mapping) else {})
        return text if isinstance(usual, str) or not isinstance(text, str) else yaml_value(text, "config")

    return {key: value(each, like.get(key)) for key, each in given.items()}


def configuration(name: str = "config") -> dict[str, Any]:
    """A configuration of the project: `config`, the headline's, or one that states its differences from it."""
    return _read(name, os.environ.get(STUDY, ""))


@cache
def _read(name: str, study: str) -> dict[str, Any]:
    path = placed_file("config/config.yaml")
    # A study has one configuration.
    return merged(path) if name == "config" or study else merged(path, placed_file(f"config/{name}.yaml"))


def section_of(config: Mapping[str, Any], experiment: str) -> Mapping[str, Any]:
    """Section of an experiment, named as in paths (`sjf-bco`)."""
    return dict(config["experiments"])[experiment.replace("-", "_")]


def settings_of(section: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Settings of one table: the section's, and those that `parts` states for this table.

    A table that `alone` lists has the latter only: nothing else in the section concerns it.
    """
    about = section if part in section.get("alone", ()) else _ABOUT_CELLS
    common = {key: value for key, value in section.items() if key not in about}
    return common | dict(section.get("parts", {}).get(part, {}))


def split(table: str, config: Mapping[str, Any]) -> tuple[str, str]:
    """Experiment and part of a table's name: `sjf-bco-fig4` is part fig4 of sjf-bco."""
    for name, section in config["experiments"].items():
        experiment = name.replace("_", "-")
        part = table.removeprefix(f"{experiment}-")
        if part != table and part in section["cells"]:
            return experiment, part
    raise KeyError(table)


def key_of(parameter: str) -> str:
    """Setting that a notebook's parameter stands for: `lambda_` is Python's way to write `lambda`."""
    return parameter.rstrip("_")


def values_of(tables: Iterable[str], parameters: Iterable[str], config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration's values of the parameters of a figure's notebook.

    Raises:
        InputError: when no table has a parameter.
    """
    known: dict[str, Any] = {}
    for experiment, part in (split(table, config) for table in tables):
        known = settings_of(section_of(config, experiment), part) | known
    for name in sorted(parameters):
        if key_of(name) not in known:
            raise InputError(f"unknown parameter; known: {', '.join(sorted(known))}", field=name)
    return {name: known[key_of(name)] for name in sorted(parameters)}


def departures(table: str, settings: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """In what the settings of a table differ from the headline's: name -> value, the headline's value.

    Settings of config/full.yaml are the headline's with more seeds, files or draws, and do not count.
    """
    config = configuration()
    headline, full = (
        _plain(settings_of(section_of(each, split(table, config)[0]), split(table, config)[1]))
        for each in (config, configuration("full"))
    )
    found = _plain(settings)
    return {
        name: (found.get(name), headline.get(name))
        for name in dict.fromkeys([*headline, *sorted(found)])
        if found.get(name) not in (headline.get(name), full.get(name))
    }


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON holds them: lists for tuples."""
    return dict(json.loads(json.dumps(settings)))


def remarks(tables: Iterable[str], made: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What sets tables apart from the headline, in one line for each kind of difference; none for the headline.

    A value that config/quick.yaml or config/smoke.yaml states makes the tables a small part of the headline's. Any
    other value makes them a what-if.
    """
    small: dict[str, tuple[Any, Any]] = {}
    other: dict[str, tuple[Any, Any]] = {}
    for table in tables:
        experiment, part = split(table, configuration())
        parts = [_plain(settings_of(section_of(configuration(n), experiment), part)) for n in ("quick", "smoke")]
        for name, (value, usual) in departures(table, made[table]).items():
            (small if value in [each.get(name) for each in parts] else other)[name] = (value, usual)
    lines = [f"WHAT IF: {_in_words(other)}"] if other else []
    return lines + ([f"A SMALL PART: {_in_words(small)}"] if small else [])


def recorded_remarks(results: Path) -> dict[str, str]:
    """What sets tables of a results folder apart from the headline; those of the headline have no entry.

    Raises:
        InputError: a record that cannot be read.
    """
    found = {}
    for path in sorted((results / "provenance").glob("*.json")):
        made = read_json(path).get("settings")
        if not isinstance(made, dict):
            raise InputError("missing; make the results again", file=path, field="settings")
        try:
            split(path.stem, configuration())
        except KeyError:
            continue  # left by another version; no claim reads it
        if lines := remarks([path.stem], {path.stem: made}):
            found[path.stem] = "; ".join(lines)
    return found


def _in_words(found: Mapping[str, tuple[Any, Any]], most: int = 3) -> str:
    """Differences in one line: `seeds 5 (headline 30), lambda 4 (headline 1)`."""
    said = [f"{name} {_short(value)} (headline {_short(usual)})" for name, (value, usual) in found.items()]
    more = f" and {len(said) - most} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more


def _short(value: Any, most: int = 24) -> str:
    text = json.dumps(value, ensure_ascii=False).replace('"', "").strip("[]") if value is not None else "not set"
    return text if len(text) <= most else f"{text[: most - 1]}…"
