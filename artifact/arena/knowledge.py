"""Who plays under which knowledge of speeds (`rarlib.cost.goodput.knowledge`).

Where speeds are learned, schedulers that ask for no speeds of single jobs decide as where they are known: their runs
are the same. Those that ask for true speeds and have no way to learn them are left out.
"""

from artifact.arena.settings import Setting
from rarlib.cost.goodput.knowledge import KNOWN, LEARNED
from rarlib.discovery import scheduler_class

TRUE_SPEEDS = frozenset({"gavel", "themis", "shockwave"})
"""Schedulers whose papers measure the speed of every job on every GPU type beforehand."""


def learns(member: str) -> bool:
    """Whether a scheduler estimates the speeds of jobs, from models that can be learned."""
    return getattr(scheduler_class(member), "learning", "requested") != "requested"


def plays(member: str, setting: Setting) -> bool:
    """Whether a scheduler can run in a setting."""
    return setting.knowledge != LEARNED or member not in TRUE_SPEEDS


def played_as(member: str, setting: Setting) -> Setting:
    """The setting that gives the same run; with known speeds, unless the scheduler learns them."""
    return setting if learns(member) else setting._replace(knowledge=KNOWN)
