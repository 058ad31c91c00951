"""Claims in the report: their rows, and the counts above them."""

import re

import pandas as pd

from artifact.ledger import ledger
from artifact.ledger.published import read_listed
from rarlib.model.project import ROOT
from tests.artifact.run.report.sample import content, report, spoilt


def rows_of(folder):
    return [row for rows in content(folder)["claims"].values() for row in rows]


def details(folder):
    """Text of all pages of details."""
    return "".join(text for name, text in report(folder).items() if name != "report.html")


def test_every_published_id_has_its_row(folder):
    text = details(folder)
    ids = read_listed(ROOT / "data")["id"]
    assert sorted(re.findall(r'<tr id="claim-([^"]+)"', text)) == sorted(ids)


def test_counts_are_those_of_the_ledger(folder):
    rows = content(folder)["counts"]
    counts = ledger.counts(ledger.read_ledger(folder / "claims.csv"))
    assert [row["paper"] for row in rows] == list(counts.index)
    shown = [cell.word for cell in rows[-1]["cells"]]
    assert shown == [word for word in counts if counts.loc["all", word]]
    assert [[cell.number for cell in row["cells"]] for row in rows] == counts[shown].to_numpy().tolist()
    assert rows[-1]["sum"] == sum(row["sum"] for row in rows[:-1])
    assert [row["paper"] for row in rows[:-1] if row["own"]] == ["arena"]
    written = ledger.read_ledger(folder / "claims.csv")
    once = len(pd.read_csv(ROOT / "data/published.csv")) - (written["same_as"] != "").sum()
    assert rows[-1]["published"] == once
    assert rows[-1]["sum"] == once + rows[-1]["own"] - (written["verdict"] == "").sum()


def test_stand_ins_are_counted_apart(folder, tmp_path):
    """Two numbers for each verdict, which add up to the ledger's."""
    rows = ledger.read_ledger(folder / "claims.csv")
    rows.loc[rows["published"].isin(["sjf-bco-001", "sjf-bco-002", "sjf-bco-028"]), "standin"] = "True"
    changed = spoilt(tmp_path, rows)
    first = content(changed)["counts"][0]
    # sjf-bco-028 is printed twice and counts where it is printed first.
    assert first["paper"] == "sjf-bco" and first["standin"] == 2
    (cell,) = [cell for cell in first["cells"] if cell.standin]
    written = rows.set_index("published").loc["sjf-bco-001", "verdict"]
    assert (cell.word, cell.standin) == (written, 2)
    text = report(changed)["report.html"]
    address = f"report/sjf-bco-mobihoc-2022.html?verdict={cell.kind}&amp;data="
    assert re.search(rf'href="{re.escape(address)}standin&amp;printed=once#ledger"[^>]*>\+2</a>', text)
    assert re.search(rf'href="{re.escape(address)}other&amp;printed=once#ledger"[^>]*>{cell.number - 2}</a>', text)


def test_units_stand_beside_ours(folder):
    """As beside the published number; a statement has none, since its value is a share of instances."""
    rows = rows_of(folder)
    valued = [row for row in rows if row["number"] and row["value"] != "true"]
    assert valued and {row["unit"] for row in valued} == {"slot"}
    assert all(row["ours"].endswith(" slot") for row in valued)
    assert all("slot" not in row["ours"] for row in rows if row not in valued)


def test_a_direction_names_the_order_that_was_tested(folder):
    """In every row that speaks of a direction, and in no other."""
    rows = rows_of(folder)
    spoken = {row["id"] for row in rows if "direction holds" in row["reason"]}
    assert spoken == {row["id"] for row in rows if row["order"]} != set()
    told = {row["id"]: row["order"] for row in rows}
    assert told["sjf-bco-006"] == "SJF-BCO < LS < FF (makespan)"
    assert "tested order: SJF-BCO &lt; LS &lt; FF (makespan)" in details(folder)


def test_robustness_is_a_badge_and_a_reason(folder, tmp_path):
    """The word beside the verdict, the setting beside the reason; nothing where nothing is said."""
    rows = ledger.read_ledger(folder / "claims.csv")
    assert (rows["robustness"] == "").all()
    assert '"evidence">arena: ' not in details(folder)
    rows.loc[0, "robustness"] = "fragile: nearest flip at load=0.5 (1 of 9 settings flip)"
    changed = spoilt(tmp_path, rows)
    text = details(changed)
    row = text[text.index('<tr id="claim-sjf-bco-001"') :].split("</tr>")[0]
    assert '<span class="badge fragile">fragile</span>' in row
    assert "arena: fragile: nearest flip at load=0.5" in row
