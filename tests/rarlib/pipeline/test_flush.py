"""A flush under 1F1B: closed forms, and a second simulation that follows each worker's list of instructions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarlib.model.errors import InputError
from rarlib.pipeline.flush import flush_ends
from rarlib.pipeline.stages import Pipeline

TIMES = st.integers(0, 40).map(lambda quarter: quarter / 4)


@st.composite
def pipelines(draw):
    """Up to five stages with times in quarters of a second, so that all sums are exact."""
    stages = draw(st.integers(1, 5))
    forward, backward = ([draw(TIMES) for _ in range(stages)] for _ in range(2))
    transfer = [draw(TIMES) for _ in range(stages - 1)]
    return Pipeline.build([1] * stages, forward, backward, transfer_s=transfer)


def instructions(stage, stages, count):
    """What a stage does, in order: DeepSpeed's schedule of a training step, generated step by step."""
    for step in range(2 * (count + stages - 1)):
        forward = step % 2 == stage % 2
        half = step // 2 if step % 2 == 0 else (step - 1) // 2
        if forward:
            now = half - stage // 2
        elif step % 2 == 0:
            now = half - stages + (stage + 1) // 2
        else:
            now = half - stages + 1 + stage // 2
        before = previous(step - 1, stage, stages)
        if forward:
            if 0 <= now < count and stage > 0:
                yield "meet", ("activation", stage - 1, now)
            if 0 <= before < count and stage > 0:
                yield "meet", ("gradient", stage - 1, before)
        else:
            if 0 <= before < count and stage < stages - 1:
                yield "meet", ("activation", stage, before)
            if 0 <= now < count and stage < stages - 1:
                yield "meet", ("gradient", stage, now)
        if 0 <= now < count:
            yield ("forward" if forward else "backward"), now


def previous(step, stage, stages):
    """The microbatch of the step before, whatever its direction."""
    half = step // 2 if step % 2 == 0 else (step - 1) // 2
    if step % 2 == stage % 2:
        return half - stage // 2
    return half - stages + (stage + 1) // 2 if step % 2 == 0 else half - stages + 1 + stage // 2


def follow(pipeline, count):
    """Ends of all stages when each transfer is a meeting of two workers."""
    stages = pipeline.stages
    lists = [list(instructions(stage, stages, count)) for stage in range(stages)]
    at, clock, waiting = [0] * stages, [0.0] * stages, {}
    moved = True
    while moved:
        moved = False
        for stage in range(stages):
            while at[stage] < len(lists[stage]):
                what, which = lists[stage][at[stage]]
                if what == "meet":
                    other = waiting.get(which)
                    if other is None:
                        waiting[which] = stage
                    if other is None or other == stage:
                        break
                    begin = max(clock[stage], clock[other])
                    clock[stage] = clock[other] = begin + pipeline.transfer_s[which[1]]
                    at[other] += 1
                    del waiting[which]
                else:
                    clock[stage] += (pipeline.forward_s if what == "forward" else pipeline.backward_s)[stage]
                at[stage] += 1
                moved = True
    assert at == [len(each) for each in lists]  # nobody waits forever
    return np.array(clock)


@given(pipelines(), st.integers(1, 12))
def test_blocking_transfers_are_meetings_of_two_workers(pipeline, count):
    np.testing.assert_allclose(flush_ends(pipeline, count, blocking=True), follow(pipeline, count), rtol=1e-12)


@given(st.integers(1, 8), st.integers(1, 30), TIMES, TIMES, st.booleans())
def test_equal_stages_without_transfers_take_m_and_s_minus_1_slots(stages, count, forward, backward, blocking):
    """Narayanan et al. (SC 2021), section 2.2: (m + S - 1)(f + b)."""
    pipeline = Pipeline.build([1] * stages, [forward] * stages, [backward] * stages)
    found = flush_ends(pipeline, count, blocking=blocking).max()
    assert found == pytest.approx((count + stages - 1) * (forward + backward))


@given(pipelines(), st.booleans())
def test_one_microbatch_passes_everything_in_turn(pipeline, blocking):
    total = pipeline.compute_s.sum() + 2 * pipeline.transfer_s.sum()
    assert flush_ends(pipeline, 1, blocking=blocking).max() == pytest.approx(total)


@given(pipelines(), st.integers(1, 12))
def test_blocking_never_helps_and_nobody_beats_the_busiest_stage(pipeline, count):
    blocking, beside = (flush_ends(pipeline, count, blocking=each) for each in (True, False))
    assert (blocking >= beside - 1e-9).all()
    assert beside.max() >= count * pipeline.compute_s.max() - 1e-9


def test_what_is_no_flush_is_refused():
    replicated = Pipeline.build([2, 1], [1.0, 1.0], [1.0, 1.0])
    with pytest.raises(InputError, match=r"field replicas: must be 1 in every stage"):
        flush_ends(replicated, 4, blocking=True)
    single = Pipeline.build([1], [1.0], [1.0])
    for blocking in (True, False):
        with pytest.raises(InputError, match="must be at least 1, found 0"):
            flush_ends(single, 0, blocking=blocking)
