"""The profiles for clusters: limits of jobs fit what the pipeline was measured to need."""

import re

import pandas as pd
import pytest
import yaml

from artifact.run.settings import configuration
from rarlib.model.project import ROOT

RULE = re.compile(r"^rule (\w+):", re.MULTILINE)
RULES = {name for path in (ROOT / "workflow/rules").glob("*.smk") for name in RULE.findall(path.read_text())}


@pytest.fixture(params=["slurm", "kubernetes"])
def profile(request):
    return yaml.safe_load((ROOT / "profiles" / request.param / "config.yaml").read_text())


def megabytes(profile, rule, attempt=1):
    default = dict(each.split("=", 1) for each in profile["default-resources"])["mem_mb"]
    formula = profile["set-resources"].get(rule, {}).get("mem_mb", default)
    factors = [attempt if part == "attempt" else int(part) for part in str(formula).split(" * ")]
    return factors[0] * factors[1]


def test_every_rule_has_half_as_much_memory_again_as_its_largest_job(profile):
    costs = pd.read_csv(ROOT / "benchmarks/costs.csv")
    largest = costs[(costs["unit"] == "MB") & costs["rule"].isin(RULES)].groupby("rule")["value"].max()
    assert len(largest) > 8
    assert [rule for rule, used in largest.items() if megabytes(profile, rule) < 1.5 * used] == []


def test_a_job_ends_itself_before_it_is_ended(profile):
    runtime = dict(each.split("=", 1) for each in profile["default-resources"])["runtime"]
    assert int(runtime.partition(" * ")[0]) > configuration()["minutes"]


def test_only_rules_that_exist_are_named(profile):
    assert set(profile["set-resources"]) | set(profile.get("groups", {})) <= RULES
