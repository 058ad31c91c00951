"""Stated readings in the report."""

from rarlib.evidence import ledger
from rarlib.evidence.answers import IN_READING
from rarlib.model.files import write_text
from rarlib.workflow.report.page import page_content, render
from tests.workflow.report.sample import COMMIT, FIGURES, INSTANCES, TUTORIALS, sample_results


def test_a_number_that_a_reading_brings_out_shows_which(tmp_path):
    """Beside ours, with a link to the sentence that says what is done differently."""
    folder = sample_results(tmp_path)
    rows = ledger.read_ledger(folder / "claims.csv")
    chosen = {"answer": IN_READING, "best_reading": "other", "ours_in_it": "540", "verdict_in_it": "reproduced"}
    rows.loc[0, list(chosen)] = list(chosen.values())
    write_text(folder / "claims.csv", rows.to_csv(index=False, lineterminator="\n"))
    listed = f"{','.join(ledger.READING_COLUMNS)}\n{rows.loc[0, 'paper']},other,says so,because,after,1,1\n"
    write_text(folder / "readings.csv", listed)
    text = render("report.html.j2", page_content(folder, list(FIGURES), TUTORIALS, INSTANCES, COMMIT))
    link = f"reading-{rows.loc[0, 'paper']}-other"
    assert f'540 slot in <a href="#{link}" title="' in text and f'<tr id="{link}">' in text and "says so" in text
