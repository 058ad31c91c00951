"""How fast iteration times on shared links are found: phase events a second in the exact mode, and the law per job.

python -m pytest benchmarks/bench_fabric.py --benchmark-only
"""

import pytest

from rarlib.fabric.case import run_case
from rarlib.fabric.drawn import fabric_case, one_link_case
from rarlib.fabric.law import law_space, law_times
from rarlib.fabric.sharing import sharing_of

JOBS, ITERATIONS = 16, 20_000
CASES = {
    "one-link": one_link_case(0, 0, JOBS, (0.1, 0.8)),
    "several-links": fabric_case(0, 0, JOBS, (0.1, 0.8)),
}


@pytest.mark.parametrize("name", CASES)
def test_events_of_the_exact_mode(benchmark, name):
    case = CASES[name]
    case = case._replace(jobs=[job._replace(iterations=ITERATIONS) for job in case.jobs])
    run = benchmark.pedantic(run_case, (case,), rounds=5, warmup_rounds=1)
    benchmark.extra_info["events"] = run.events
    benchmark.extra_info["events_per_s"] = run.events / benchmark.stats.stats.min


@pytest.mark.parametrize("name", CASES)
def test_times_by_the_law(benchmark, name):
    sharing = sharing_of(CASES[name])
    here = sharing.size >= 0.0
    benchmark(law_times, sharing, here, law_space(sharing))
    benchmark.extra_info["microseconds_per_job"] = 1e6 * benchmark.stats.stats.min / JOBS
