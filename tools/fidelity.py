"""How far the models are from machines, on one page: docs/fidelity.md and its picture, from accepted results.

python -m tools.fidelity
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from jinja2 import Environment, StrictUndefined

from rarlib.arena.fidelity import SIMULATED_OVER_MEASURED, level_of, margin_at, own_runs, pair_errors, ratio_errors
from rarlib.evidence.ledger import read_ledger
from rarlib.evidence.levels import CONTRADICTED, HELD, NO_POLICIES, UNDECIDED, judged_levels, own_formulas
from rarlib.evidence.measured.ledger import measured_ledger
from rarlib.model.files import write_text
from rarlib.plot.fidelity import fidelity_picture
from rarlib.plot.style import save, use_style

_ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURE = _ROOT / "docs" / "fidelity.md", _ROOT / "docs" / "fidelity.svg"

TEMPLATE = Path(__file__).with_suffix(".md.j2")


def page(goals: pd.DataFrame, statements: pd.DataFrame, own: Mapping[str, Mapping[str, float]]) -> str:
    """The page as Markdown.

    Args:
        goals: accepted verdicts of the measured ledger.
        statements: as `judged_levels` returns them.
        own: our simulated over measured values, by testbed and policy.
    """
    errors = pair_errors(own)
    judged = statements.dropna(subset="level")
    judged = judged.assign(own=[level_of(ratio, errors) for ratio in judged["ratio"]])
    by_own = judged["at_50"].where(judged["own"] >= 0.8, UNDECIDED).value_counts()
    counts, why = judged["at_80"].value_counts(), statements["at_80"].value_counts()
    said = goals["reason"].str.partition(". ")[0].str.replace("MISSED: ", "**missed**: ")
    shares = dict(zip(("half", "most", "nine"), map(margin_at, (0.5, 0.8, 0.9)), strict=True))
    for name, level in (("own_half", 0.5), ("own_most", 0.8), ("own_nine", 0.9)):
        shares[name] = margin_at(level, errors)
    template = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    return template.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        goals=goals.assign(said=said).to_dict("records"),
        testbeds=SIMULATED_OVER_MEASURED,
        count=len(ratio_errors()),
        statements=statements,
        judged=judged.to_dict("records"),
        told=_counted(counts),
        own=own,
        own_count=len(errors),
        own_told=_counted(by_own),
        proofs=why[NO_POLICIES],
        **{name: f"{100 * share:.0f} %" for name, share in shares.items()},
    )


def _counted(counts: "pd.Series[int]") -> str:
    return ", ".join(f"{word} {counts.get(word, 0)}" for word in (HELD, CONTRADICTED, UNDECIDED))


def statements_here() -> pd.DataFrame:
    """The accepted own statements, judged anew."""
    return judged_levels(read_ledger(_ROOT / "results" / "expected" / "claims.csv"), own_formulas(_ROOT))


def main() -> None:
    """Write the page and its picture."""
    accepted = measured_ledger(_ROOT, {})
    write_text(PAGE, page(accepted.goals, statements_here(), own_runs(_ROOT)))
    mpl.use("agg")
    use_style()
    figure = fidelity_picture(accepted.scores, ratio_errors(), statements_here(), pair_errors(own_runs(_ROOT)))
    with TemporaryDirectory() as folder:
        save(figure, PICTURE, Path(folder) / "fidelity.png", {"title": "How far from machines"})
    plt.close(figure)


if __name__ == "__main__":
    main()
