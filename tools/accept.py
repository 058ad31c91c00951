"""Accepts the last run: `python -m tools.accept` after `make reproduce` with recorded data.

Writes results/expected: the ledger, SJF-BCO's Figure 4, and all tables in one archive, on which notebooks open. The
same results give the same bytes. Then look at what has changed: `git diff results/expected`.
"""

import json
import sys
from pathlib import Path

from artifact.archive.build import as_zip
from artifact.archive.swhid import SourceFile
from artifact.notebook.tables import ACCEPTED
from rarlib.model.files import written
from rarlib.model.project import ROOT

RESULTS = ROOT / "results"
KEPT = {"claims.csv": "claims.csv", "figures/sjf-bco-fig4.svg": "sjf-bco-fig4.svg"}
_OF_OTHERS = "measured-"
"""Tables that hold what others measured, row by row; their licences differ."""


def packed(results: Path) -> bytes:
    """The tables of a results folder with their facts and settings, as a zip archive."""
    files = {}
    for path in (results / "tables").iterdir():
        if not path.name.startswith(_OF_OTHERS):
            files[f"tables/{path.name}"] = SourceFile(path.read_bytes())
            made = json.loads((results / f"provenance/{path.stem}.json").read_text(encoding="utf-8"))
            settings = json.dumps({"settings": made["settings"]}, indent=1) + "\n"
            files[f"provenance/{path.stem}.json"] = SourceFile(settings.encode())
    return as_zip(files, "accepted", 0)


def on_standins(results: Path) -> list[str]:
    """Tables of a results folder that rest on stand-ins."""
    facts = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (results / "tables").glob("*.json")}
    return sorted(name for name, fact in facts.items() if fact["standin"])


def main() -> int:
    """Accept; exit code 2 where results are missing or rest on stand-ins."""
    if missing := [name for name in KEPT if not (RESULTS / name).is_file()]:
        print(f"error: no {', '.join(missing)} in results; make reproduce makes them", file=sys.stderr)
        return 2
    if made_up := on_standins(RESULTS):
        print(f"error: these tables rest on stand-ins: {', '.join(made_up)}", file=sys.stderr)
        return 2
    for name, kept in KEPT.items():
        (ROOT / "results/expected" / kept).write_bytes((RESULTS / name).read_bytes())
    with written(ACCEPTED) as part:
        part.write_bytes(packed(RESULTS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
