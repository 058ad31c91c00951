"""Many cases of one seed, several at a time."""

import logging
import os
from collections.abc import Callable, Collection, Iterator

from rarlib.cost.goodput.measured import load_profiles
from rarlib.declared import scheduler_names
from tests.rarlib.fuzz.case import Case, drawn_case
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.outcome import FINDING, Outcome
from tests.rarlib.fuzz.registry import TARGETS
from tests.rarlib.fuzz.targets import fabrics
from tests.rarlib.fuzz.values import Values, drawn_values
from tests.rarlib.fuzz.worker import Ran, compiled, ran, ran_alone

_SHARE = 500
"""Cases that one process runs: caches of the artifact fill up over them."""
_MORE_TRIES = 2
"""How often a case that took too long is run again: what was compiled meanwhile need not be compiled any more."""
_DRAWN_BEFORE = 300
"""Cases drawn before processes are forked, which so share what drawing reads and caches."""


def ready(seed: int, names: Collection[str] = tuple(TARGETS)) -> Callable[[int], Case]:
    """The cases of a seed by number, after everything that they share has been read, imported and compiled.

    Args:
        seed: of the cases.
        names: targets that are drawn from.
    """
    os.environ["RARLIB_OFFLINE"] = "1"
    logging.disable(logging.CRITICAL)
    load_profiles()
    _compile_kernels()
    values = drawn_values(seed)
    for number in range(_DRAWN_BEFORE):
        case_of(number, seed, values, names)
    return lambda number: case_of(number, seed, values, names)


def case_of(number: int, seed: int, values: Values, names: Collection[str] = tuple(TARGETS)) -> Case:
    """The case of a seed and a number, of one of these targets."""
    targets = {name: target for name, target in TARGETS.items() if name in names}
    return drawn_case(targets, Draw(values, f"{seed}:{number}"))


def _compile_kernels() -> None:
    """Run every scheduler once, and some on a fabric, so that no case waits for a compiler."""
    trace = b"submit_s,gpus,duration_s,application\n0,1,5,bert\n1,2,3,bert\n"
    words = [
        ["--scheduler", name, "--cluster", "t4:1x4", "--cost", cost]
        for name in scheduler_names()
        for cost in ("ring", "goodput")
    ]
    compiled([*(Case("scheduler", {"t.csv": trace}, given) for given in words), *fabrics.KERNELS])


def outcomes(made: Callable[[int], Case], numbers: range, workers: int) -> Iterator[Ran]:
    """Run cases by number, several processes at a time; each finding is run again by itself."""
    size = max(1, min(_SHARE, len(numbers) // (4 * workers)))
    shares = (numbers[start : start + size] for start in range(0, len(numbers), size))
    for each in ran(shares, made, workers):
        is_finding = each.outcome.verdict == FINDING
        yield each._replace(outcome=_again(made(each.number), each.outcome)) if is_finding else each


def _again(case: Case, first: Outcome) -> Outcome:
    """The outcome of a case by itself, when no other case or process has slowed it down; a fault stays one."""
    slow = first.said.startswith(("more than", "no answer"))
    for _ in range(_MORE_TRIES if slow else 1):
        second = ran_alone(case)
        if second.verdict != FINDING:
            break
    if second.verdict == FINDING or slow:
        return second
    return first._replace(said=f"{first.said} (after other cases; not by itself)")
