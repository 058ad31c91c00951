"""The table of laws rests on the accepted ledger and on all runs."""

import yaml

from artifact.arena.knowledge import plays
from artifact.arena.settings import chosen, settings_of_choice
from artifact.ledger.laws import BOTH, COUNTED_ONLY, FAST_ONLY, NEITHER, grid_counted, read_laws
from tools import arena_laws

TABLE = read_laws(arena_laws.TABLE)


def test_every_own_statement_is_judged_by_both_laws():
    """In the ledger's order, with its verdict and reason: a new ledger asks for a new table."""
    accepted, claims = arena_laws.own()
    for column, other in (("published", "published"), ("fast", "verdict"), ("fast_found", "reason")):
        assert TABLE[column].tolist() == accepted[other].tolist(), "python -m tools.arena_laws"
    assert set(TABLE["published"]) <= set(claims)
    assert set(TABLE["counted"]) == {"holds", "does not hold"}
    known = {("holds", "holds"): BOTH, ("does not hold", "does not hold"): NEITHER}
    known |= {("holds", "does not hold"): COUNTED_ONLY, ("does not hold", "holds"): FAST_ONLY}
    pairs = zip(TABLE["counted"], TABLE["fast"], strict=True)
    assert TABLE["holds_under"].tolist() == [known[pair] for pair in pairs]


def test_all_runs_were_judged():
    """The bounds were compared with every run: those of all schedulers, but for those that take long."""
    config = yaml.safe_load((arena_laws.ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    section = config["experiments"]["arena"]
    grid, windows, few = settings_of_choice(grid_counted(section)), section["windows"], section["few"]
    schedulers = set(arena_laws.members(section, "runs")) - {"bounds"}
    runs = sum(plays(name, setting) for name in schedulers for setting, _ in chosen(name, grid, windows, few))
    (said,) = TABLE[TABLE["published"] == "arena-37"]["counted_found"]
    assert said.startswith(f"0 of {runs} runs are below")
