"""Claims in the report: their rows, the counts above them, and reasons that are told once."""

import re

import pandas as pd

from artifact.ledger import ledger
from artifact.ledger.published import read_listed
from artifact.report.claim_rows import first_given
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tests.artifact.run.report.sample import content_of, report_of, sample_results


def test_every_published_id_has_its_row(folder):
    text = report_of(folder)
    ids = read_listed(ROOT / "data")["id"]
    assert re.findall(r'<tr id="claim-([^"]+)"', text) == list(ids)


def test_counts_are_those_of_the_ledger(folder):
    rows = content_of(folder)["counts"]
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
    spoilt = sample_results(tmp_path)
    write_text(spoilt / "claims.csv", rows.to_csv(index=False, lineterminator="\n"))
    first = content_of(spoilt)["counts"][0]
    # sjf-bco-028 is printed twice and counts where it is printed first.
    assert first["paper"] == "sjf-bco" and first["standin"] == 2
    (cell,) = [cell for cell in first["cells"] if cell.standin]
    written = rows.set_index("published").loc["sjf-bco-001", "verdict"]
    assert (cell.word, cell.standin) == (written, 2)
    text = report_of(spoilt)
    address = f"?paper=sjf-bco&amp;verdict={cell.kind}&amp;data="
    assert re.search(rf'href="{re.escape(address)}standin&amp;printed=once#ledger"[^>]*>\+2</a>', text)
    assert re.search(rf'href="{re.escape(address)}other&amp;printed=once#ledger"[^>]*>{cell.number - 2}</a>', text)


def test_nothing_is_lost_where_paper_points_back():
    """Parts make up the reason again, and what a row points at is told in full there."""
    rows = ledger.build(ROOT / "data", ROOT / "config/claims", ROOT / "nowhere")
    reasons = list(rows[["published", "reason"]].itertuples(index=False, name=None))
    found = first_given(reasons)
    full = {
        name: " ".join(text for text, first in parts if not first)
        for (name, _), parts in zip(reasons, found, strict=True)
    }
    assert [" ".join(text for text, _ in parts) for parts in found] == [reason for _, reason in reasons]
    back = [(text, first) for parts in found for text, first in parts if first]
    assert len(back) > 20
    assert all(text in full[first] for text, first in back)


def test_measured_numbers_are_never_pointed_at():
    """Two claims that happen to be off by the same share each say so."""
    same = "-99.4% of the published value; holds in 0% of 1 seeds. A long note on both claims, which is told only once."
    one, other = first_given([("a", same), ("b", same)])
    assert one == [(same, "")]
    assert [first for _, first in other] == ["", "a"]
    assert other[0][0].startswith("-99.4%")
