"""A hundred damaged deposits, drawn at random: every one is noticed, none makes the verifier crash.

One of each kind in every run of the tests, all of them with `--release`.

Half of the ways to damage it are an attacker's, who makes the digests follow. What they leave is what does not follow
from anything else: a verdict from its rows, a table from its cells, a file from its commit.
"""

import csv
import hashlib
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.circles import first

_LEDGER = "results/claims.csv"
_RECOMPUTED = ["value", "verdict", "ours", "spread", "seeds", "as_stated", "chance", "same_as", "trust"]


def replace(path: Path, data: bytes) -> None:
    """Write a file that may be a link to another deposit's."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def read_nodes(folder: Path) -> dict:
    return json.loads((folder / "tree.json").read_text(encoding="utf-8"))


def sealed(folder: Path, tree: dict | None = None) -> None:
    """Make all digests follow from what the files now say, as an attacker would."""
    tree = tree or read_nodes(folder)
    nodes = tree["nodes"]
    for node in nodes.values():
        for name in list(node["files"]):
            path = folder / name
            if path.is_file():
                node["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()

    def digest(name: str) -> str:
        node = nodes[name]
        below = {child: digest(child) for child in node["children"]}
        text = json.dumps([name, node["facts"], node["files"], below], sort_keys=True, separators=(",", ":"))
        node["digest"] = hashlib.sha256(text.encode()).hexdigest()
        return node["digest"]

    tree["root"] = digest("deposit")
    replace(folder / "tree.json", json.dumps(tree).encode())


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "tree.json")


def flip_a_bit(folder: Path, rng: random.Random) -> None:
    path = rng.choice([path for path in files_of(folder) if path.stat().st_size])
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    replace(path, bytes(data))


def flip_a_bit_of_the_tree(folder: Path, rng: random.Random) -> None:
    """Any bit but those between the tokens of the JSON, which say nothing."""
    path = folder / "tree.json"
    data = bytearray(path.read_bytes())
    at = rng.choice([place for place, byte in enumerate(data) if chr(byte).isalnum()])
    data[at] ^= 1 << rng.randrange(8)
    replace(path, bytes(data))


def swap_two_files(folder: Path, rng: random.Random) -> None:
    one, other = rng.sample(files_of(folder), 2)
    while one.read_bytes() == other.read_bytes():
        one, other = rng.sample(files_of(folder), 2)
    first, second = one.read_bytes(), other.read_bytes()
    replace(one, second)
    replace(other, first)


def remove_a_file(folder: Path, rng: random.Random) -> None:
    rng.choice(files_of(folder)).unlink()


def add_a_file(folder: Path, rng: random.Random) -> None:
    place = rng.choice(["results/cells/extra.csv", "extra", "source/rarlib/extra.py", "results/tables/.hidden"])
    replace(folder / place, b"x")


def add_a_link(folder: Path, rng: random.Random) -> None:
    (folder / rng.choice(["results/more", "source/up", "link"])).symlink_to(rng.choice(["/", "..", "tree.json"]))


def replace_by_a_link(folder: Path, rng: random.Random) -> None:
    path = rng.choice(files_of(folder))
    path.unlink()
    path.symlink_to(folder / "tree.json")


def truncate(folder: Path, rng: random.Random) -> None:
    path = rng.choice([*[p for p in files_of(folder) if p.stat().st_size > 1], folder / "tree.json"])
    replace(path, path.read_bytes()[: rng.randrange(path.stat().st_size // 2 + 1)])


def edit_a_verdict(folder: Path, rng: random.Random) -> None:
    """A field of the ledger that follows from rows, formulas and published numbers; the digests follow."""
    with (folder / _LEDGER).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    row, column = rng.choice(rows), rng.choice(_RECOMPUTED)
    others = {"verdict": ["reproduced", "holds"], "role": ["tested", "theory"]}
    row[column] = next(each for each in others.get(column, ["17", "18"]) if each != row[column])
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace(folder / _LEDGER, text.getvalue().encode())
    sealed(folder)


def drop_a_claim(folder: Path, rng: random.Random) -> None:
    lines = (folder / _LEDGER).read_text(encoding="utf-8").split("\n")
    del lines[rng.randrange(1, len(lines) - 1)]
    replace(folder / _LEDGER, "\n".join(lines).encode())
    sealed(folder)


def drop_a_row(folder: Path, rng: random.Random) -> None:
    """Of a table or of a cell; the digests follow."""
    paths = sorted([*folder.glob("results/tables/*.csv"), *folder.glob("results/cells/*/*/*.csv")])
    path = rng.choice(paths)
    lines = path.read_text(encoding="utf-8").split("\n")
    del lines[rng.randrange(1, len(lines) - 1)]
    replace(path, "\n".join(lines).encode())
    sealed(folder)


def change_a_value(folder: Path, rng: random.Random) -> None:
    """One number of a table; the digests follow."""
    path = rng.choice(sorted(folder.glob("results/tables/*.csv")))
    lines = path.read_text(encoding="utf-8").split("\n")
    row = rng.randrange(1, len(lines) - 1)
    fields = lines[row].split(",")
    fields[8] = repr(float(fields[8] or 0) * 1.01 + 1)
    lines[row] = ",".join(fields)
    replace(path, "\n".join(lines).encode())
    sealed(folder)


def change_the_source(folder: Path, rng: random.Random) -> None:
    """A file of the commit; the digests follow, but the commit's tree is another."""
    path = rng.choice(sorted((folder / "source").rglob("*.py")))
    replace(path, path.read_bytes() + b"\n# changed\n")
    sealed(folder)


def leave_the_folder(folder: Path, rng: random.Random) -> None:
    """A name that leads outside; the digests follow."""
    tree = read_nodes(folder)
    names = ["../outside", "/etc/hostname", "results/../../outside", "a//b", "..\\outside", "C:/x", "a\0b", ""]
    name = rng.choice(names)
    node = rng.choice(sorted(tree["nodes"]))
    tree["nodes"][node]["files"][name] = hashlib.sha256(b"outside").hexdigest()
    (folder.parent / "outside").write_bytes(b"outside")
    sealed(folder, tree)


def build_another_tree(folder: Path, rng: random.Random) -> None:
    """JSON that is no tree, or one with a circle, a missing node, nested without end."""
    tree = read_nodes(folder)
    name = rng.choice(sorted(tree["nodes"]))
    circle = {**tree["nodes"][name], "children": ["deposit"]}
    kinds = [
        b"[]", b"{}", b'{"root": 1, "nodes": []}', b"[" * 100_000, b"\xff\xfe", b"", b'{"nodes": {"deposit": 3}}',
        json.dumps({**tree, "nodes": {**tree["nodes"], name: circle}}).encode(),
        json.dumps({**tree, "nodes": {k: v for k, v in tree["nodes"].items() if k != name}}).encode(),
    ]  # fmt: skip
    replace(folder / "tree.json", rng.choice(kinds))


def write_nonsense(folder: Path, rng: random.Random) -> None:
    """A file that a check reads, with content of another kind; the digests follow."""
    names = ("claims.json", _LEDGER, "results/tables/*.json", "results/provenance/*.json", "results/cells/*/*/*.csv")
    path = rng.choice([p for name in names for p in sorted(folder.glob(name))])
    other = [b"", b"[]", b"{}", b"null", b"\xff", b'"a\n', b"a,b\n1\n", b"NaN", b"1e999", b"[" * 50_000]
    replace(path, rng.choice(other))
    sealed(folder)


KINDS: list[Callable[[Path, random.Random], None]] = [
    flip_a_bit, flip_a_bit_of_the_tree, swap_two_files, remove_a_file, add_a_file, add_a_link, replace_by_a_link,
    truncate,
    edit_a_verdict, drop_a_claim, drop_a_row, change_a_value, change_the_source,
    leave_the_folder, build_another_tree, write_nonsense,
]  # fmt: skip


@pytest.mark.parametrize("number", first(len(KINDS), range(100)))
def test_damage_is_noticed(number, copied, verifier):
    rng = random.Random(number)
    KINDS[number % len(KINDS)](copied, rng)
    code, lines = verifier(copied)
    assert code == 1
    assert all("\n" not in line for line in lines)


def test_an_untouched_copy_is_not_blamed(copied, verifier):
    """Otherwise all of the above would pass for the wrong reason; nor does making the digests anew damage anything."""
    sealed(copied)
    assert verifier(copied)[0] == 0


def test_only_the_root_finds_a_forged_run(copied, unpacked, verifier):
    """Rows that no claim uses can be forged in cell and table alike: the cited root digest tells."""
    root = read_nodes(unpacked)["root"]
    for path in (copied / "results/cells/arena/runs/gavel.csv", copied / "results/tables/arena-runs.csv"):
        lines = path.read_text(encoding="utf-8").split("\n")
        kept = [line for line in lines if not (",gavel," in line and ",pai," in line)]
        replace(path, "\n".join(kept).encode())
    sealed(copied)
    code, lines = verifier(copied, root)
    assert code == 1
    assert any("root digest" in line for line in lines)
