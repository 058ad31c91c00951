"""The exact mode: cases by hand, a second simulator in fractions, and properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.fabric.case import job_times, run_case
from rarlib.fabric.routing import Flow
from rarlib.model.errors import InputError
from tests.rarlib.fabric.cases import GBPS, exact_ends, sender, shared


def means(case):
    return [times.mean_iteration_s for times in job_times(case, run_case(case))]


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.1, 0.15, 0.2])
def test_two_identical_jobs_keep_their_shift(gap):
    """Fair sharing keeps it for ever: both take c + 2 s - gap, and c + s once nothing overlaps."""
    case = shared(sender("a", 0.3, 0.2), sender("b", 0.3, 0.2, start_s=gap))
    assert means(case) == pytest.approx([0.3 + 2 * 0.2 - gap] * 2)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_aligned_jobs_take_c_plus_f_of_k_times_s(k, alpha):
    """All send at once, always: the law of a static count of sharers is exact here."""
    case = shared(*(sender(f"j{i}", 0.3, 0.1) for i in range(k)), alpha=alpha)
    assert means(case) == pytest.approx([0.3 + (k + alpha * (k - 1)) * 0.1] * k)


def test_strict_priority_interleaves_two_identical_jobs():
    """With d <= 1/2 both take c + s after the first iteration, in which the lower one waits for s."""
    case = shared(sender("a", 0.5, 0.25, priority=1), sender("b", 0.5, 0.25))
    assert means(case) == pytest.approx([0.75, 0.75 + 0.25 / 60])


def test_a_third_job_elsewhere_frees_my_link():
    """b is held back on y by c, so a gets more than half of x: more jobs can make a job faster."""
    a, b = sender("a", 0.2, 0.1, iterations=1), sender("b", 0.2, 0.1, "xy", iterations=1)
    others = [sender(f"c{i}", 0.2, 0.1, "y", iterations=1) for i in range(3)]
    assert means(shared(a, b, links="xy"))[0] == pytest.approx(0.4)
    assert means(shared(a, b, *others, links="xy"))[0] == pytest.approx(0.2 + 0.1 / 0.75)


def test_a_ring_that_crosses_a_link_twice_halves_its_own_speed():
    assert means(shared(sender("a", 0.2, 0.1, {"x": 2}))) == pytest.approx([0.4])


def test_an_exchange_ends_with_its_slowest_flow():
    job = sender("a", 0.2, 0.1)._replace(flows=(Flow(1e8, {"x": 1}), Flow(1e8, {"y": 1})))
    assert means(shared(job, links={"x": GBPS, "y": GBPS / 2})) == pytest.approx([0.4])


def test_jobs_without_flows_or_bytes_only_compute():
    silent = sender("a", 0.2, 0.1)._replace(flows=())
    case = shared(silent, sender("b", 0.3, 0.0), sender("c", 0.0, 0.1))
    assert means(case) == pytest.approx([0.2, 0.3, 0.1])


def test_a_job_that_has_left_slows_nobody():
    """Both at half speed until the short one is gone after its only iteration."""
    short, long = sender("a", 0.2, 0.1, iterations=1), sender("b", 0.2, 0.3, iterations=2)
    assert means(shared(short, long, leave=True)) == pytest.approx([0.4, (0.6 + 0.5) / 2])


def test_a_job_that_waits_for_ever_is_named():
    always, never = sender("a", 0.0, 0.1, priority=1), sender("b", 0.1, 0.1)
    with pytest.raises(InputError, match="job b has not done its iterations"):
        run_case(shared(always, never), most=10_000)


def test_noise_is_the_stated_generator():
    """Computing times alone, against the generator in whole numbers of any size."""
    case = shared(sender("a", 0.4, 0.0, iterations=20, noise=0.2, seed=2**63 + 5))
    x, expected = 2**63 + 5, []
    for _ in range(20):
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        expected.append(0.4 * (1 + 0.2 * (2 * ((x >> 11) / 2**53) - 1)))
    np.testing.assert_allclose(np.diff(run_case(case).ends, prepend=0.0), expected, rtol=1e-9)


CROSSED = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 2), min_size=1)
TENTHS = st.integers(0, 12).map(lambda n: n / 8)


@st.composite
def small_cases(draw, levels=1):
    jobs = []
    for i in range(draw(st.integers(1, 4))):
        flows = tuple(Flow(draw(st.integers(1, 12)) * 125e6, draw(CROSSED)) for _ in range(draw(st.integers(1, 2))))
        more = {"priority": draw(st.integers(0, levels - 1)), "start_s": draw(TENTHS)}
        jobs.append(sender(f"j{i}", draw(TENTHS), 1.0, iterations=6, **more)._replace(flows=flows))
    alpha = draw(st.sampled_from([0.0, 0.25, 1.0]))
    links = {"x": GBPS, "y": GBPS / 2, "z": 2 * GBPS}
    return shared(*jobs, links=links, alpha=alpha, leave=levels > 1)


def ends_of(case, iterations=6):
    return run_case(case).ends.reshape(len(case.jobs), iterations)


@settings(max_examples=80)
@given(small_cases() | small_cases(levels=3))
def test_as_in_fractions(case):
    """Six iterations: too few for rounding to grow; half of the cases have priorities."""
    np.testing.assert_allclose(ends_of(case), exact_ends(case, 6), rtol=1e-9)


@given(small_cases(levels=2))
def test_names_and_order_of_jobs_change_nothing(case):
    turned = case._replace(jobs=[job._replace(id=f"other {job.id}") for job in reversed(case.jobs)])
    np.testing.assert_allclose(ends_of(turned)[::-1], ends_of(case), rtol=1e-9)


@given(small_cases(levels=2), st.sampled_from([0.5, 4.0]))
def test_time_has_no_unit(case, scale):
    """All seconds and bytes times 2^n: all ends times 2^n, to the bit."""
    jobs = [
        job._replace(
            compute_s=scale * job.compute_s,
            start_s=scale * job.start_s,
            flows=tuple(flow._replace(bytes_=scale * flow.bytes_) for flow in job.flows),
        )
        for job in case.jobs
    ]
    np.testing.assert_array_equal(ends_of(case._replace(jobs=jobs)), scale * ends_of(case))


@given(small_cases(levels=2))
def test_an_idle_link_and_a_silent_job_change_nothing(case):
    silent = sender("silent", 0.7, 0.0, iterations=6)._replace(flows=())
    more = case._replace(links={"idle": 1.0, **case.links}, jobs=[*case.jobs, silent])
    np.testing.assert_allclose(ends_of(more)[:-1], ends_of(case), rtol=1e-12)


@given(small_cases())
def test_no_iteration_is_faster_than_alone(case):
    """Others may free a link, but never beyond what it gives a job that is alone."""
    for job, ends in zip(case.jobs, ends_of(case), strict=True):
        alone = case._replace(jobs=[job._replace(start_s=0.0, iterations=1)])
        least = run_case(alone).ends[0]
        assert (np.diff(ends, prepend=job.start_s) >= least * (1 - 1e-9)).all()


@settings(max_examples=40)
@given(small_cases())
def test_links_carry_no_more_than_they_can(case):
    """Bytes of all finished iterations over a link, until the last of them, fit into the time."""
    ends = ends_of(case)
    until = ends[:, -1].min()
    for link, gbps in case.links.items():
        carried = sum(
            flow.bytes_ * flow.links.get(link, 0) * int((own <= until).sum())
            for job, own in zip(case.jobs, ends, strict=True)
            for flow in job.flows
        )
        assert carried <= until * gbps * 125e6 * (1 + 1e-9)


def test_many_flows_and_forgotten_sets():
    """More than 64 flows and more sets than are remembered: aligned jobs still take c + k s."""
    jobs = [
        sender(f"j{i}", 0.3, 0.1, start_s=0.0, iterations=10)._replace(flows=(Flow(1e8, {"x": 1}), Flow(1e6, {"y": 1})))
        for i in range(70)
    ]
    assert means(shared(*jobs, links="xy")) == pytest.approx([0.3 + 70 * 0.1] * 70)
