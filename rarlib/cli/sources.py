"""`rarlib sources`: list, download and check the public traces."""

from typing import Annotated

import typer

from rarlib.cli.text import say
from rarlib.model.errors import InputError
from rarlib.traces import places
from rarlib.traces.profile import profile_path, read_profile
from rarlib.traces.resolve import at_hand, obtain
from rarlib.traces.sources import Source, read_sources

app = typer.Typer(no_args_is_help=True, add_completion=False)

Names = Annotated[list[str] | None, typer.Argument(help="Names of sources; all if none is given.")]


@app.callback()
def sources() -> None:
    """List, fetch and check the public traces."""


@app.command("list")
def list_() -> None:
    """Show what each source is, where it is found now, and its licence. Uses no network."""
    say(f"{'source':24}{'found':10}{'format':14}{'jobs':>10}  {'bytes':>13}  licence; cite")
    for name, files in read_sources().items():
        first = files[0]
        sizes = [f.bytes for f in files]
        size = f"{sum(s for s in sizes if s):,}" if all(sizes) else "?"
        jobs = f"{first.jobs:,}" if first.jobs else ("?" if first.format else "-")
        line = f"{name:24}{_where(files):10}{first.format or 'table':14}{jobs:>10}  {size:>13}"
        say(f"{line}  {first.licence}; {first.citation}")
    mirrors = ", ".join(map(str, places.mirrors())) or "none (set RARLIB_MIRROR)"
    say("", f"raw files: {places.raw_folder()}; mirrors: {mirrors}; network: {_network()}")
    say("found: raw or mirror (verified), damaged, remote (would be downloaded), stand-in (remote or drawn)")


@app.command()
def fetch(names: Names = None) -> None:
    """Download what is not at hand into data/raw; a partial download is resumed."""
    chosen, missing = _chosen(names), 0
    wanted = {s.file: s.bytes for files in chosen.values() for s in files if at_hand(s) is None}
    known = sum(size for size in wanted.values() if size)
    say(f"{len(wanted)} file(s) to download, {known / 1e6:,.1f} MB plus those of unknown size")
    for name, files in chosen.items():
        for source in files:
            found = obtain(source)
            missing += found.path is None
            for line in found.tried:
                say(f"{name}: {line}")
            say(f"{name}: {found.origin}" + (f" {found.path}" if found.path else ""))
    if missing:
        raise InputError(f"{missing} file(s) could not be obtained", file="sources fetch")


@app.command()
def check(names: Names = None) -> None:
    """Verify the checksum of every file at hand and that every stand-in can be read. Uses no network."""
    verified = absent = damaged = 0
    for source in (source for files in _chosen(names).values() for source in files):
        if source.standin:
            read_profile(profile_path(source.standin))
        try:
            found = at_hand(source)
        except InputError as error:
            damaged += 1
            say(f"BAD {source.name}  {error}")
            continue
        verified, absent = verified + (found is not None), absent + (found is None)
        if found:
            say(f"ok  {source.name}  {found.origin}  {source.digest}")
    say(f"{verified} verified, {damaged} damaged, {absent} not at hand; stand-ins readable")
    if damaged:
        raise InputError(f"{damaged} file(s) have the wrong checksum", file="sources check")


def _chosen(names: list[str] | None) -> dict[str, tuple[Source, ...]]:
    sources = read_sources()
    for name in names or ():
        if name not in sources:
            raise InputError("unknown source; see: rarlib sources list", file=name)
    return {name: sources[name] for name in names} if names else sources


def _where(files: tuple[Source, ...]) -> str:
    try:
        found = [at_hand(source) for source in files]
    except InputError:
        return "damaged"
    if all(found):
        return found[0].origin if found[0] else ""
    return "stand-in" if files[0].standin else "remote"


def _network() -> str:
    return "off (RARLIB_OFFLINE)" if places.switched_off() else "used when needed"
