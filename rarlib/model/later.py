"""Modules that are imported when they are first used: they are slow to import, or not installed everywhere."""

from importlib import import_module
from typing import Any

from rarlib.model.errors import InputError
from rarlib.model.extras import advice


class Later:
    """A module that is imported when an attribute of it is first used.

    Args:
        name: dotted name of the module. Where its package is not installed, an `InputError` names the extra.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked for by tools that inspect modules, not by code that computes
            raise AttributeError(attribute)
        try:
            return getattr(import_module(self._name), attribute)
        except ImportError as error:
            if sentence := advice(error):
                raise InputError(sentence) from None
            raise
