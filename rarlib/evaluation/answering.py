"""The policy's side of the connection: load it from its text, then answer one pass after the other.

This runs in the confined process. Nothing that it sends is believed (`rarlib.evaluation.remote`).
"""

import traceback
from collections.abc import Iterable
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType
from typing import Any

from rarlib.evaluation.messages import Inbox, packed, send
from rarlib.evaluation.policy_view import PolicyView
from rarlib.model.decisions import Allocation, Decision, Start, Stop, Wake
from rarlib.model.seeds import stream

_MODULE = "policy"
_WORDS: dict[type, str] = {Start: "start", Stop: "stop", Wake: "wake", Allocation: "allocate"}


class _FileError(Exception):
    """The file defines no policy; says why."""


class _Text(InspectLoader):
    """A module whose source is a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, fullname: str) -> str:
        return self._text


def answer_all(descriptor: int) -> None:
    """Answer until the other side closes, or the policy fails; then say why.

    Args:
        descriptor: the connection.
    """
    inbox = Inbox(descriptor, most=float("inf"))
    try:
        given = inbox.receive()
        policy = _loaded(given["text"])
        name = str(getattr(policy, "name", "") or given["name"])
        view = PolicyView(given, stream(given["seed"], "scheduler", name))
        send(descriptor, packed({"ready": name}))
        while True:
            view.refresh(inbox.receive())
            send(descriptor, packed({"decisions": _decisions(policy, view)}))
    except EOFError:
        return
    except BaseException as error:
        send(descriptor, packed({"failed": _reason(error)}))


def _decisions(policy: Any, view: PolicyView) -> list[Any]:
    decided: Iterable[Decision] = policy.decide(view)
    words = []
    for decision in decided:
        if type(decision) not in _WORDS:
            raise TypeError(f"{str(decision)[:80]} is not a decision")
        words.append([_WORDS[type(decision)], *decision])
        view.apply(decision)
    return words


def _loaded(text: str) -> Any:
    """An object of the only class of the text with a method `decide`."""
    loader = _Text(text)
    spec = spec_from_loader(_MODULE, loader)
    assert spec is not None
    module: ModuleType = module_from_spec(spec)
    loader.exec_module(module)
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == _MODULE]
    found = [each for each in own if callable(getattr(each, "decide", None))]
    if len(found) != 1:
        names = f": {', '.join(sorted(each.__name__ for each in found))}" if found else ""
        raise _FileError(f"the file must define one class with a method decide, {len(found)} found{names}")
    return found[0]()


def _reason(error: BaseException) -> str:
    """What was raised, and the last line of the policy's own code that it went through."""
    if isinstance(error, _FileError):
        return str(error)
    if isinstance(error, MemoryError):
        return "more memory than is allowed"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}" + (f" (line {error.lineno})" if error.lineno is not None else "")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<string>"]
    where = f" (line {lines[-1]})" if lines else ""
    hint = "; only what is loaded already can be imported" if isinstance(error, ImportError) else ""
    said = _message(error)
    return f"{type(error).__name__}{': ' if said else ''}{said}{where}{hint}"


def _message(error: BaseException) -> str:
    """What an exception says; nothing if that fails as well."""
    try:
        return str(error)[:300]
    except BaseException:
        return ""
