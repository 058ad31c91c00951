"""Packs the deposit of a results folder: `pack_once.py RESULTS FOLDER` writes FOLDER/deposit.zip."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from artifact.archive.build import as_zip  # noqa: E402
from artifact.archive.contents import collect  # noqa: E402
from tests.artifact.archive.conftest import source_of_checkout  # noqa: E402

if __name__ == "__main__":
    results, folder = map(Path, sys.argv[1:])
    source = source_of_checkout()
    deposit = collect(source, "smoke", results)
    deposit.finish()
    (folder / "deposit.zip").write_bytes(as_zip(deposit.files, "rarlib-test", source.seconds))
