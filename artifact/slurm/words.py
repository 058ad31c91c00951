"""Words about a job that Slurm keeps for us: what its user says in the comment, what the driver notes beside it.

Users write `--comment="rarlib seconds=5400 gpus=2-8 application=resnet18"`; every word is optional. The driver's notes
are in the job's AdminComment, which users cannot write, so that it has no state of its own.
"""

import math
import re
from typing import NamedTuple

Place = tuple[tuple[str, int], ...]
"""GPUs by name of the node, in the order of the nodes of the cluster."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,251}")
_COUNT = re.compile(r"[0-9]{1,9}")
_LONGEST_S = 1e9


class Wish(NamedTuple):
    """What a user says of a job.

    Attributes:
        seconds: predicted length on the GPUs asked for; None: the job's limit.
        least: fewest GPUs it can run on; None: those asked for.
        most: most GPUs it can run on; None: those asked for.
        application: for cost models that know it.
    """

    seconds: float | None = None
    least: int | None = None
    most: int | None = None
    application: str = ""


class Note(NamedTuple):
    """What the driver knows of a job beyond what Slurm itself remembers; times are seconds since 1970.

    Attributes:
        asked: GPUs that the user asked for; None: nothing has been noted yet.
        submitted: when the job was submitted, which Slurm forgets when it is requeued.
        done_s: part of its predicted length that is done, up to `until`.
        gpu_s: GPU-seconds held up to `until`.
        until: when it was last stopped; None: never.
        at: where it is to start, or has been started.
        since: when that was decided.
    """

    asked: int | None = None
    submitted: float | None = None
    done_s: float = 0.0
    gpu_s: float = 0.0
    until: float | None = None
    at: Place = ()
    since: float | None = None

    def text(self) -> str:
        """As it is kept in Slurm; `read_note` reads it."""
        at = "+".join(f"{name}*{gpus}" for name, gpus in self.at)
        words: dict[str, float | str | None] = {
            "asked": self.asked,
            "submitted": self.submitted,
            "done": self.done_s,
            "held": self.gpu_s,
        }
        words |= {"until": self.until, "at": at or None, "since": self.since}
        said = (f"{key}={value:.3f}" if isinstance(value, float) else f"{key}={value}" for key, value in words.items())
        return " ".join(["rarlib", *(word for word in said if not word.endswith("=None"))])


def read_wish(comment: str) -> Wish:
    """The words of a user; what cannot be understood is ignored."""
    words = _words(comment)
    least, dash, most = words.get("gpus", "").partition("-")
    few, many = _count(least), _count(most if dash else least)
    ranged = few is not None and many is not None and 1 <= few <= many
    application = words.get("application", "")
    return Wish(
        _seconds(words.get("seconds")) or None,
        few if ranged else None,
        many if ranged else None,
        application if _NAME.fullmatch(application) else "",
    )


def read_note(text: str) -> Note:
    """The driver's words; an unreadable one counts as missing."""
    words = _words(text)
    return Note(
        _count(words.get("asked", "")),
        _seconds(words.get("submitted"), math.inf),
        _seconds(words.get("done")) or 0.0,
        _seconds(words.get("held"), math.inf) or 0.0,
        _seconds(words.get("until"), math.inf),
        _place(words.get("at", "")),
        _seconds(words.get("since"), math.inf),
    )


def _words(text: str) -> dict[str, str]:
    """The words `key=value` behind the word `rarlib`."""
    tokens = text.split()
    behind = tokens[tokens.index("rarlib") + 1 :] if "rarlib" in tokens else []
    return {key: value for key, equals, value in (token.partition("=") for token in behind) if equals}


def _seconds(text: str | None, most: float = _LONGEST_S) -> float | None:
    try:
        number = float(text or "nan")
    except ValueError:
        return None
    return number if 0.0 <= number <= most and math.isfinite(number) else None


def _count(text: str) -> int | None:
    return int(text) if _COUNT.fullmatch(text) else None


def _place(text: str) -> Place:
    found = []
    for part in text.split("+"):
        name, star, gpus = part.partition("*")
        if not (star and _NAME.fullmatch(name) and _count(gpus)):
            return ()
        found.append((name, int(gpus)))
    return tuple(found)
