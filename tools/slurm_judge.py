"""A real Slurm as the judge of the simulator: `python -m tools.slurm_judge` (docs/slurm.md).

Runs `rarlib replay` on a window of Philly in which 60 % of the jobs wait, and checks what is aimed at. `--accept`
copies the tables of the last run to results/expected and its picture to docs.
"""

import argparse
import shutil
import sys

import pandas as pd

from artifact.slurm.compare import AS_ASKED
from artifact.slurm.replay import REGIMES
from rarlib.cli.main import main as rarlib
from rarlib.model.project import ROOT

OUT = ROOT / "build/slurm"
WINDOW = ("philly-pollux", "--cluster", "40x4", "--first", "80300", "--count", "200", "--interval", "2")
MAKESPAN, AGREED = 0.02, 0.95
"""In order, the makespans may differ by this share; of the starts of each regime, this share must be agreed with."""

ACCEPTED = {
    "summary.csv": ROOT / "results/expected/slurm.csv",
    "starts.csv": ROOT / "results/expected/slurm-starts.csv",
    "starts.svg": ROOT / "docs/slurm.svg",
}


def missed(summary: pd.DataFrame, starts: pd.DataFrame) -> list[str]:
    """What is aimed at and was not reached, a sentence each; arguments as written by `rarlib replay`."""
    said = []
    in_order = summary[(summary["regime"] == REGIMES[0].name) & (summary["lengths"] == AS_ASKED)].iloc[0]
    if in_order["same_order"] < 1.0:
        said.append(f"in order, only {in_order['same_order']:.1%} of the starts are at the same place of the order")
    ratio = in_order["slurm_makespan_s"] / in_order["makespan_s"] - 1.0
    if abs(ratio) > MAKESPAN:
        said.append(f"in order, the makespans differ by {ratio:+.1%}")
    for regime, agreed in starts.groupby("regime", sort=False)["agrees"].mean().items():
        if agreed < AGREED:
            said.append(f"{regime}: {agreed:.1%} of the starts are agreed with")
    return said


def main() -> int:
    """Run, or accept the last run; exit code 1 if something aimed at was not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="run nothing; accept the tables of the last run")
    if not parser.parse_args().accept:
        try:
            rarlib(["replay", *WINDOW, "--slurm", "--force", "--out", str(OUT)])
        except SystemExit as end:
            if end.code:
                return int(end.code)
    said = missed(pd.read_csv(OUT / "summary.csv"), pd.read_csv(OUT / "starts.csv"))
    for line in said:
        print(f"error: {line}", file=sys.stderr)
    if "--accept" in sys.argv and not said:
        for name, path in ACCEPTED.items():
            shutil.copy(OUT / name, path)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
