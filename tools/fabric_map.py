"""Error map of the fast law over sharers and duty, into docs/fabric.md: `python -m tools.fabric_map`."""

from collections.abc import Sequence

from rarlib.fabric.error_map import (
    DUTIES,
    SHARERS,
    LawError,
    one_link_errors,
    several_links_errors,
    spread_of,
)
from tools.section import Section

SEED = 2026
_CASES = 4
SECTION = Section("fabric.md", "map", "tools.fabric_map")


def _cell(errors: Sequence[LawError], sharers: tuple[int, int], duties: tuple[float, float]) -> str:
    inside = [e for e in errors if sharers[0] <= e.sharers <= sharers[1] and duties[0] <= e.duty < duties[1]]
    if len(inside) < 8:
        return "–"
    law, counted = spread_of(e.law for e in inside), spread_of(e.counted for e in inside)
    return f"{100 * law[0]:.1f} / {100 * law[1]:.0f} ({100 * counted[0]:.0f})"


def _table(errors: Sequence[LawError]) -> str:
    head = "".join(f" {low:g} to {high:g} |" for low, high in DUTIES)
    lines = [f"| sharers \\ duty |{head}", "|---" * (len(DUTIES) + 1) + "|"]
    for low, high in SHARERS:
        cells = [_cell(errors, (low, high), duties) for duties in DUTIES]
        if any(cell != "–" for cell in cells):
            lines.append(f"| {low if low == high else f'{low} to {high}'} | " + " | ".join(cells) + " |")
    law, counted = spread_of(e.law for e in errors), spread_of(e.counted for e in errors)
    whole = f"All {len(errors):,} jobs: law {100 * law[0]:.1f} / {100 * law[1]:.1f}, c + k s "
    return "\n".join(lines) + f"\n\n{whole}{100 * counted[0]:.1f} / {100 * counted[1]:.1f}.\n"


def render() -> str:
    """Both tables as Markdown."""
    one, several = one_link_errors(SEED, _CASES), several_links_errors(SEED, 2 * _CASES)
    return f"On one link:\n\n{_table(one)}\nOver several links (leaf-spine and fat tree):\n\n{_table(several)}"


def main() -> None:
    """Print the map and put it into docs/fabric.md."""
    found = render()
    print(found)
    SECTION.write(found)


if __name__ == "__main__":
    main()
