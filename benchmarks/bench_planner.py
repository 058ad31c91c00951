"""How fast PipeDream's planner is.

    python -m pytest benchmarks/bench_planner.py --benchmark-only

The analytic profiles have the states of the measured ones: 40 (VGG-16), 99 (GNMT-8), 238 (ResNet-50, measured 240),
1495 (GNMT-16). Stated limits: one level 0.1 s, ResNet-50 on 8x2 0.5 s, GNMT-16 on 4x4 5 s; the authors' optimizer takes
0.1 to 7 s, 78 s, and more than 17 minutes.
"""

import pytest

from rarlib.pipeline.planner import PLANNER_VARIANTS, Options, plan_pipeline
from rarlib.pipeline.zoo.models import profile

HIERARCHIES = {"16": ((16,), (1.25e9,)), "8x2": ((8, 2), (2.5e10, 3.125e9)), "4x4": ((4, 4), (1e10, 1.25e9))}


@pytest.mark.parametrize("hierarchy", HIERARCHIES)
@pytest.mark.parametrize("model", ["vgg16", "gnmt", "resnet50", "gnmt_large"])
@pytest.mark.parametrize("variant", PLANNER_VARIANTS)
def test_plan(benchmark, variant, model, hierarchy):
    benchmark.group = f"plan on {hierarchy}"
    graph, options = profile(model), Options(variant=variant, compression=1.0)
    benchmark.pedantic(plan_pipeline, (graph, *HIERARCHIES[hierarchy], options), rounds=3, warmup_rounds=1)
