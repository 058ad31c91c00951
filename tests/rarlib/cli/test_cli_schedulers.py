"""`rarlib schedulers`: every scheduler and every parameter is described."""

import json

import pytest

from rarlib.cli.parameter_table import about, parameter_table
from rarlib.declared import scheduler_names
from rarlib.discovery import make_scheduler, settings_with_defaults


@pytest.mark.parametrize("name", scheduler_names())
def test_every_parameter_is_described_and_its_default_can_be_given(name):
    """What the table shows as default, given as text, is the default."""
    assert about(name).endswith(".")
    table = parameter_table(name)
    assert [each.name for each in table if not (each.kind and each.meaning)] == []
    given = {each.name: each.default.replace("(empty)", "") for each in table}
    expected, found = (settings_with_defaults(make_scheduler(name, params)) for params in ({}, given))
    for key, value in expected.items():
        assert found[key] == (pytest.approx(value, rel=1e-5) if isinstance(value, float) else value)


def test_what_is_accepted_is_what_the_scheduler_checks(run):
    """One rule, stated with the field, is both shown and checked."""
    rules = {each.name: each.accepts for each in parameter_table("sjf-bco")}
    assert rules["lambda"] == "at least 1"
    assert rules["bisection"] == "one of shared, per-kappa, all"
    code, told = run("schedulers", "sjf-bco")
    assert code == 0
    assert "--param lambda=1  (number; at least 1)" in told.out
    assert max(map(len, told.out.splitlines())) <= 80


def test_json_and_unknown_names(run, refused):
    code, told = run("schedulers", "gavel", "--json")
    assert code == 0
    assert {each["name"] for each in json.loads(told.out)["parameters"]} == {"policy", "round_s", "phantom_rate"}
    assert "did you mean 'gavel'?" in refused("schedulers", "gavl")
