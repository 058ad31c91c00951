"""Statements of the arena name what exists."""

from artifact.arena.metrics import METRICS
from artifact.arena.settings import settings_of_choice
from artifact.ledger.claims import read_claims
from artifact.ledger.contests import OTHERS
from artifact.ledger.published import read_listed
from artifact.run.settings import configuration
from rarlib.discovery import scheduler_class
from rarlib.model.project import ROOT


def test_own_claims_name_schedulers_and_metrics_that_exist():
    """A typo would read "not yet run", or leave the column empty, for ever."""
    claims = read_claims(ROOT / "config/claims", set(read_listed(ROOT / "data")["id"]))
    orders = [claim.robustness for claim in claims.values() if claim.robustness]
    orders += [claim.formula for name, claim in claims.items() if name.startswith("arena-")]
    assert len(orders) > 20
    names = {name for order in orders for key in ("better", "worse") for name in as_list(order.get(key, []))}
    for name in names - {OTHERS}:
        assert scheduler_class(name).name == name
    assert {order.get("metric", "mean_jct") for order in orders} <= {metric.name for metric in METRICS}


def test_own_claims_name_levels_that_are_run():
    """A level that no setting has would read "not yet run"; the base is the one that the arena's section names."""
    claims = read_claims(ROOT / "config/claims", set(read_listed(ROOT / "data")["id"]))
    own = [claim.formula for name, claim in claims.items() if name.startswith("arena-")]
    chosen = [dict(formula.get("select", {})) for formula in own]
    chosen += [{formula["along"]: formula["levels"]} for formula in own if "along" in formula]
    section = configuration()["experiments"]["arena"]
    settings = settings_of_choice(section)
    for factor in ("cluster", "contention", "load", "restart", "error", "knowledge"):
        named = {str(level) for each in chosen for level in as_list(each.get(factor, []))}
        assert named <= {getattr(setting, factor) for setting in settings}
        assert str(section[factor]) in named


def as_list(value):
    return value if isinstance(value, list) else [value]
