"""What schedulers know of the speeds of jobs whose batches adapt: the same for all of a comparison, or each its own.

| | speed on GPUs on which a job has not run | largest batch |
|---|---|---|
| `KNOWN` | a model fitted to everything ever measured | the application's largest |
| `LEARNED` | carried over from types on which it has run, as Sia's code does; nothing before that | the requested |
| `GIVEN` | each scheduler's own settings (Sia), or its paper's: Pollux learns, all others know | likewise |

A type-blind scheduler (Pollux) has one model for all types. Where speeds are known, it is fitted to what was measured
on every type of the cluster together.
"""

from collections.abc import Mapping
from types import MappingProxyType

GIVEN, KNOWN, LEARNED = "given", "known", "learned"

KNOWLEDGE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        GIVEN: {},
        KNOWN: {"bootstrap": "oracle", "batch_limit": "largest"},
        LEARNED: {"bootstrap": "bootstrap", "projection": "code", "batch_limit": "requested"},
    }
)
"""Choices of `rarlib.cost.goodput.training.GoodputTraining` that a level of knowledge makes in place of schedulers."""
