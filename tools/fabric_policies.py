"""Communication policies on random cases, into docs/fabric.md: `python -m tools.fabric_policies` (about a minute)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rarlib.fabric.policy_cases import policy_case
from rarlib.fabric.policy_comparison import COMPARED, mean_times_between, policy_outcome
from rarlib.fabric.policy_study import shares_of_best
from tools.section import Section

SEED = 2026
SECTION = Section("fabric.md", "policies", "tools.fabric_policies")

_SMALL, _CASES, _PAIRS = 40, 60, 60
_SETS: tuple[tuple[str, int, tuple[float, ...]], ...] = (
    ("5 jobs, periods from 0.25 to 1 s", 5, ()),
    ("3 jobs, periods of 0.25, 0.5 or 1 s", 3, (0.25, 0.5, 1.0)),
)
_MARKS = (0, 20, 100, 300, 600, 1200)
_NOISE = 0.05


def _spread(shares: Sequence[float]) -> str:
    return f"{100 * np.mean(shares):.1f} ({100 * np.quantile(shares, 0.05):.1f}, {100 * min(shares):.1f})"


def near_the_best() -> str:
    """Table: Crux's choices relative to the best, by enumeration."""
    found = [shares_of_best(policy_case(SEED, number)) for number in range(_SMALL)]
    rows = (
        ("paths", "97.69", "paths", "paths_ecmp", "ECMP"),
        ("priorities, each job on a level of its own", "97.24", "order", "order_mean", "mean of all orders"),
        ("the same, compressed to 3 levels", "97.12", "levels", "levels_mean", "mean of all levels"),
    )
    lines = [
        "| choice | published, % of the best | here: mean (5th percentile, least) | instead |",
        "|---|---|---|---|",
    ]
    for what, published, ours, other, name in rows:
        here, instead = ([getattr(each, column) for each in found] for column in (ours, other))
        lines.append(f"| {what} | {published} | {_spread(here)} | {name}: {_spread(instead)} |")
    return "\n".join(lines)


def compared(jobs: int, periods_s: tuple[float, ...]) -> str:
    """Table: every policy on the same cases."""
    cases = [policy_case(SEED, number, jobs, periods_s, _NOISE) for number in range(_CASES)]
    found = {name: [policy_outcome(case, policy) for case in cases] for name, policy in COMPARED.items()}
    fair = found["fair sharing"]
    fits = [each.interleaved for each in found["CASSINI"]]
    lines = [
        "| policy | utilisation, % | where the score is 1 | slowest job, % | longest wait, s | arranges |",
        "|---|---|---|---|---|---|",
    ]
    for name, outcomes in found.items():
        use = 100 * np.mean([each.utilisation for each in outcomes])
        there = [each.utilisation for each, fit in zip(outcomes, fits, strict=True) if fit]
        worst = [float((a.computing / b.computing).min()) for a, b in zip(outcomes, fair, strict=True)]
        cells = [
            name,
            f"{use:.1f}",
            f"{100 * np.mean(there):.1f}" if there else "–",
            f"{100 * (np.mean(worst) - 1):+.1f} (least {100 * (min(worst) - 1):+.1f})" if outcomes is not fair else "",
            f"{max(each.longest_wait_s for each in outcomes):.1f}",
            f"{sum(each.touched for each in outcomes)} of {len(outcomes)}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return (
        "\n".join(lines)
        + f"\n\nCASSINI's score is 1 in {sum(fits)} of {len(fits)} cases, and jobs keep a timetable there."
    )


def drift() -> str:
    """Table: mean iteration time of two noisy jobs that fit, over their life."""
    names = ("fair sharing", "CASSINI", "CASSINI, shifted once")
    spans = [f"{a + 1} to {b}" for a, b in pairwise(_MARKS)]
    lines = [f"| iterations | {' | '.join(spans)} |", "|---" * (len(spans) + 1) + "|"]
    for name in names:
        means = mean_times_between(COMPARED[name], _MARKS, _PAIRS, noise=_NOISE)
        lines.append(f"| {name} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    return "\n".join(lines)


def render() -> str:
    """All tables as Markdown."""
    parts = [f"Crux beside the best, {_SMALL} cases:", near_the_best()]
    for what, jobs, periods_s in _SETS:
        parts += [f"All policies, {_CASES} cases with {what}:", compared(jobs, periods_s)]
    parts += ["Mean iteration time of two jobs with d = 0.4 and c + s = 1 s that start together, s:", drift()]
    return "\n\n".join(parts)


def main() -> None:
    """Print the tables and put them into docs/fabric.md."""
    found = render()
    print(found)
    SECTION.write(found)


if __name__ == "__main__":
    main()
