"""What schedulers may ask, decide and declare, as the descriptions of the contract have it."""

from types import SimpleNamespace
from typing import Any

import pytest

from rarlib.model.errors import InputError
from rarlib.model.offers import MOST_REPLICAS, Offers, missing, needed
from rarlib.model.scheduler import Running, in_system


def test_jobs_in_the_system_are_those_that_wait_and_run_by_row() -> None:
    """Each once, whichever list it is in."""
    jobs: list[Any] = [SimpleNamespace(row=row) for row in range(5)]
    view: Any = SimpleNamespace(
        waiting=[jobs[3], jobs[0]], running=[Running(jobs[4], ((0, 1),), 0.0), Running(jobs[1], ((1, 2),), 2.0)]
    )
    assert [job.row for job in in_system(view)] == [0, 1, 3, 4]


def test_what_is_not_offered_is_named_with_the_cost_models_that_offer_it() -> None:
    """Nothing is offered unless it is given; an answer that is there is handed on."""
    assert [getattr(Offers(), name) for name in ("goodput", "restarts", "requested", "tasks")] == [None] * 4
    answer: list[int] = []
    assert needed(answer, "sia", "goodput") is answer
    for name, models in (("goodput", "goodput"), ("restarts", "goodput"), ("tasks", "parameter-server")):
        with pytest.raises(InputError, match=rf"^field cost: sia needs .* \(cost model: {models}\)$"):
            needed(None, "sia", name)
    both = str(missing("las", "requested", "tasks"))
    assert both.count(" or the ") == 1 and "any but parameter-server" in both
    assert MOST_REPLICAS == 64
