"""`rarlib verify`: whether the files and claims of a results folder are unchanged."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.workflow import manifest
from rarlib.workflow.closure import ROOT


def verify(
    results: Annotated[Path, typer.Argument(help="Results folder.")] = Path("results"),
    accepted: Annotated[
        Path | None, typer.Option(help="Ledger of an accepted run; claims on stand-ins are not compared.")
    ] = None,
) -> None:
    """Recompute digests and claims; exit with 1 if anything differs, 2 if the folder cannot be used."""
    differing = manifest.differences(results)
    differing += manifest.claim_differences(results, ROOT / "data", ROOT / "config" / "claims")
    if accepted is not None:
        differing += manifest.accepted_differences(results, accepted)
    for line in differing:
        print(line)
    if differing:
        print(f"{results}: {len(differing)} differences")
        raise typer.Exit(1)
    print(f"{results}: all {len(manifest.read(results / 'manifest.json'))} digests and all claims agree")
