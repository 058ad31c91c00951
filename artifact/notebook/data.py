"""The data file that a table's cells read, made here if the pipeline has not made it."""

import importlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rarlib.model.files import write_text
from rarlib.traces.audit import write_clean
from rarlib.traces.load import load_trace


@cache
def _folder() -> "TemporaryDirectory[str]":
    """A folder that lives as long as the notebook."""
    return TemporaryDirectory()


def own_folder() -> Path:
    """Where this notebook's data files are made, each of them once."""
    return Path(_folder().name)


def data_file(name: str, config: Mapping[str, Any], results: Path, folder: Path) -> Path:
    """The file of a trace or profile set: the pipeline's if there is one, otherwise a new one in `folder`."""
    is_trace = name in config["traces"]
    file = f"{name}.csv" if is_trace else f"{name}.json"
    for place in (results / "data", folder):
        if (place / file).is_file():
            return place / file
    with _without_network():
        (_make_trace if is_trace else _make_set)(name, config, folder / file)
    return folder / file


def _make_trace(name: str, config: Mapping[str, Any], path: Path) -> None:
    settings = config["traces"][name]
    write_clean(load_trace(name, limit=settings["limit"], seed=settings["seed"]), path)


def _make_set(name: str, config: Mapping[str, Any], path: Path) -> None:
    settings = config["profiles"][name]
    made = importlib.import_module(settings["module"]).profile_set(name, settings)
    write_text(path.with_name(f"{path.name}.json"), json.dumps(made.provenance) + "\n")
    write_text(path, json.dumps(made.data) + "\n")


@contextmanager
def _without_network() -> Iterator[None]:
    """A notebook must not wait for downloads: files that are at hand are read, else stand-ins are drawn."""
    before = os.environ.get("RARLIB_OFFLINE")
    os.environ["RARLIB_OFFLINE"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["RARLIB_OFFLINE"]
        else:
            os.environ["RARLIB_OFFLINE"] = before
