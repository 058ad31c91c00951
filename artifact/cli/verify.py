"""`rarlib verify`: whether the files and claims of a results folder are unchanged."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.cli.text import say


def verify(
    results: Annotated[Path, typer.Argument(help="Results folder.")] = Path("results"),
    accepted: Annotated[
        Path | None, typer.Option(help="Ledger of an accepted run; claims on other data or settings are counted apart.")
    ] = None,
    same_as: Annotated[
        Path | None, typer.Option(help="Another results folder: compare byte for byte with its files instead.")
    ] = None,
) -> None:
    """Recompute digests and claims; exit with 1 if anything differs, 2 if the folder cannot be used."""
    from artifact.run import manifest
    from rarlib.model.project import placed_file, study_of

    if same_as is not None:
        _end(results, manifest.byte_differences(results, same_as), f"all files are those of {same_as}, byte for byte")
        return
    wrong = manifest.wrong_files(results)
    differing = [f"{name}: {what}" for name, what in wrong.items()]
    with study_of(results):
        differing += manifest.claim_differences(results, placed_file("data"), placed_file("config/claims"))
    well = f"all {len(manifest.read_manifest(results / 'manifest.json'))} digests agree, and so do all claims with them"
    if accepted is not None:
        compared = manifest.compare_accepted(results, accepted)
        differing += compared.lines
        say(*(f"{line}; the verdict is the same, and this is within the spread" for line in compared.moved))
        say(f"{results}: {compared.summary()}")
    _end(results, differing, well, manifest.remake(results, wrong))


def _end(results: Path, differing: list[str], well: str, remedy: str = "") -> None:
    for line in differing:
        say(line)
    if differing:
        say(f"{results}: {len(differing)} differences", *filter(None, [remedy]))
        raise typer.Exit(1)
    say(f"{results}: {well}")
