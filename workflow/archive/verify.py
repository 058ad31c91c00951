"""Check this deposit: `python verify.py [--root DIGEST]`. Needs Python 3.9 or newer, no package and no network.

Recomputes every digest of the tree, the joining of cells into tables, and the numbers and the verdict of every claim
from the stored rows and the formulas in claims.json. It shares no code with rarlib. One line for each thing that
fails; exit code 0: all agrees, 1: something does not, 2: there is nothing to check here.
"""

import argparse
import csv
import hashlib
import io
import json
import os
import sys

HERE, LIMIT = os.path.dirname(os.path.abspath(__file__)), 1 << 30
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True  # nothing may be added to the deposit

from verify_arena import Missing  # noqa: E402
from verify_claims import Table, close, compare_ledger, number  # noqa: E402


def sha(data):
    """SHA-256 in 64 digits."""
    return hashlib.sha256(data).hexdigest()


class Deposit:
    """The files of a folder, read through names that cannot leave it, and what is wrong with them."""

    def __init__(self, folder):
        self.folder, self.root = os.path.realpath(folder), ""
        self.wrong, self.tables, self.bytes = [], {}, {}
        self.done = {"files": 0, "tables": 0, "claims": 0}

    def say(self, line):
        """Note what does not agree, in one line that a terminal can show."""
        self.wrong.append("".join(c if c.isprintable() else "?" for c in line)[:400])

    def guarded(self, what, check, *given):
        """Run a check; one that cannot go on is a failure like any other."""
        try:
            return check(self, *given)
        except Exception as error:  # whatever a damaged file leads to
            self.say(f"{what}: {error or ''} ({type(error).__name__})")
            return None

    def read(self, name):
        """Bytes of a file of the deposit."""
        if name not in self.bytes:
            parts = str(name).split("/")
            path = os.path.join(self.folder, *parts)
            if any(p in ("", ".", "..") or set(p) & set("\\\0:") for p in parts) or os.path.realpath(path) != path:
                raise ValueError(f"{name!r} is no name of a file in this deposit")
            if not os.path.isfile(path) or os.path.getsize(path) > LIMIT:
                raise ValueError(f"{name} is missing")
            with open(path, "rb") as file:
                self.bytes[name] = file.read()
        return self.bytes[name]

    def json(self, name):
        """A file as JSON."""
        return json.loads(self.read(name).decode("utf-8"))

    def rows(self, name):
        """The rows of a CSV file."""
        text = self.read(name).decode("utf-8")
        found = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        if any(None in row or None in row.values() for row in found):
            raise ValueError(f"{name}: a row has too few or too many fields")
        return found

    def table(self, name):
        """A results table; Missing if the run did not make it."""
        if name not in self.tables:
            path = f"results/tables/{name}.csv"
            if not os.path.lexists(os.path.join(self.folder, path)):
                raise Missing(f"no results table {name}.csv")
            self.tables[name] = Table(self.rows(path))
        return self.tables[name]


def check_files(deposit, nodes):
    """The files are those of the tree, no more and no less, with their digests."""
    listed = [(name, digest) for node in nodes.values() for name, digest in node["files"].items()]
    found = set()
    for folder, inside, files in os.walk(deposit.folder):
        for name in files + [d for d in inside if os.path.islink(os.path.join(folder, d))]:
            found.add(os.path.relpath(os.path.join(folder, name), deposit.folder).replace(os.sep, "/"))
    for name in sorted(found - {name for name, _ in listed} - {"tree.json"}):
        deposit.say(f"file {name}: not in the tree of digests")
    deposit.done["files"] = len({name for name, _ in listed})
    for name, digest in sorted(listed):
        content = deposit.guarded(f"file {name}", Deposit.read, name)
        if content is not None and sha(content) != digest:
            deposit.say(f"file {name}: differs from its digest")


def check_digests(deposit, tree, wanted):
    """Each node's digest covers its facts, its files and the digests of the nodes below it."""
    nodes, done = tree["nodes"], {}

    def digest(name, above):
        if name in above or name not in nodes:
            raise ValueError(f"node {name} is below itself or missing")
        if name not in done:
            node = nodes[name]
            below = {child: digest(child, above + (name,)) for child in node["children"]}
            text = json.dumps([name, node["facts"], node["files"], below], sort_keys=True, separators=(",", ":"))
            done[name] = sha(text.encode())
            if done[name] != node["digest"]:
                deposit.say(f"node {name}: its digest does not follow from what it covers")
        return done[name]

    if digest("deposit", ()) != tree["root"] or (wanted and wanted != tree["root"]):
        deposit.say(f"the root digest is not {wanted or tree['root']}")
    for name in sorted(set(nodes) - set(done)):
        deposit.say(f"node {name}: not below the root")


def check_code(deposit, name, node):
    """A code node is named after the digest of its files, as the pipeline recorded it."""
    lines = [f"{file.partition('/')[2]} {sha(deposit.read(file))}" for file in sorted(node["files"])]
    if sha("\n".join(lines).encode())[:16] != name.partition("/")[2]:
        deposit.say(f"node {name}: the source files do not have this digest")


def check_table(deposit, name, node, nodes):
    """A table has the rows of its cells, which were made by the code that was recorded."""
    name = name.partition("/")[2]
    made, facts = deposit.json(f"results/provenance/{name}.json"), deposit.json(f"results/tables/{name}.json")
    cells = {f"cell/{cell[:-4]}": f"code/{code}" for cell, code in made["code"].items()}
    order = {cell.rpartition("/")[2]: cell for cell in cells}
    members = sorted(cell.rpartition("/")[2] for cell in cells)
    if sorted(cells) != sorted(node["children"]) or members != sorted(facts["cells"]):
        deposit.say(f"table {name}: its cells are not those that were recorded")
    for cell, code in cells.items():
        if [child for child in nodes[cell]["children"] if child.startswith("code/")] != [code]:
            deposit.say(f"{cell}: its code is not the one that was recorded")
    stated = {key: node["facts"][key] for key in ("module", "settings", "standin")}
    if stated != {"module": made["module"], "settings": made["settings"], "standin": facts["standin"]}:
        deposit.say(f"table {name}: its settings are not those that were recorded")
    deposit.done["tables"] += 1
    rows = deposit.rows(f"results/tables/{name}.csv")
    listed = [order[member] for member in facts["cells"]]
    joined = [row for cell in listed for row in deposit.rows(f"results/cells/{cell[5:]}.csv")]
    if len(rows) != len(joined) or not all(same_row(*pair) for pair in zip(rows, joined)):
        deposit.say(f"table {name}: its rows are not those of its cells")


def same_row(one, other):
    """Whether two rows agree, numbers as numbers."""
    return close(number(one["value"]), number(other["value"])) and {**one, "value": ""} == {**other, "value": ""}


def check_source(deposit, nodes):
    """The files of the commit have the digest that git gives their tree."""
    facts, tree = nodes["deposit"]["facts"], {}
    for name in sorted({name for node in nodes.values() for name in node["files"] if name.startswith("source/")}):
        folder = tree
        for part in name.split("/")[1:-1]:
            folder = folder.setdefault(part, {})
        mode = b"100755" if name in facts["executable"] else b"100644"
        folder[name.rpartition("/")[2]] = mode, git_object(b"blob", deposit.read(name))
    if "swh:1:dir:" + git_tree(tree).hex() != facts["directory"]:
        deposit.say("source: its files are not those of " + facts["directory"])


def git_object(kind, data):
    """Digest of an object of git."""
    return hashlib.sha1(b"%s %d\0%s" % (kind, len(data), data)).digest()


def git_tree(folder):
    """Digest of a folder of git; folders sort as if their names ended in a slash."""
    entries = []
    for name, entry in folder.items():
        inside = isinstance(entry, dict)
        mode, digest = (b"40000", git_tree(entry)) if inside else entry
        entries.append((name.encode() + b"/" * inside, mode + b" " + name.encode() + b"\0" + digest))
    return git_object(b"tree", b"".join(line for _, line in sorted(entries)))


def check_tree(deposit, root):
    """Files, digests, source, code and tables."""
    tree = deposit.json("tree.json")
    nodes, deposit.root = tree["nodes"], tree["root"]
    deposit.guarded("files", check_files, nodes)
    deposit.guarded("tree.json", check_digests, tree, root)
    deposit.guarded("source", check_source, nodes)
    for name, node in sorted(nodes.items()):
        if name.startswith("code/"):
            deposit.guarded(name, check_code, name, node)
        if name.startswith("table/"):
            deposit.guarded(name, check_table, name, node, nodes)


def examine(folder, root=None):
    """Exit code, and a line for each thing that fails."""
    deposit = Deposit(folder)
    if not os.path.lexists(os.path.join(deposit.folder, "tree.json")):
        return 2, [f"error: {folder}: there is no tree.json here"]
    deposit.guarded("tree.json", check_tree, root)
    deposit.guarded("claims", compare_ledger)
    if deposit.wrong:
        return 1, [*deposit.wrong, f"{len(deposit.wrong)} things do not agree"]
    did = "{files} files, {tables} tables, {claims} claims"
    return 0, [f"all agrees; root digest {deposit.root} ({did.format(**deposit.done)})"]


def main():
    """Run all checks and print what fails."""
    parser = argparse.ArgumentParser(description="Check this deposit.")
    parser.add_argument("folder", nargs="?", default=HERE)
    parser.add_argument("--root", help="the root digest that was cited")
    given = parser.parse_args()
    code, lines = examine(given.folder, given.root)
    print("\n".join(lines).encode("ascii", "backslashreplace").decode(), file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
