"""Packs the deposit of a results folder: `pack_once.py RESULTS FOLDER` writes FOLDER/deposit.tar and .zip."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from artifact.archive.contents import collect  # noqa: E402
from artifact.archive.packing import as_tar, as_zip  # noqa: E402
from artifact.archive.project import project_subject  # noqa: E402
from tests.artifact.archive.conftest import source_of_checkout  # noqa: E402

if __name__ == "__main__":
    results, folder = map(Path, sys.argv[1:])
    source = source_of_checkout()
    deposit = collect(project_subject(ROOT, source, "smoke"), results)
    deposit.finish()
    for name, pack in (("deposit.tar", as_tar), ("deposit.zip", as_zip)):
        (folder / name).write_bytes(pack(deposit.files, "rarlib-test", source.seconds))
