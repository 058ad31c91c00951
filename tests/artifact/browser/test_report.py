"""The report as a reader meets it: opened from disk, on a desk, a phone and paper.

RARLIB_REPORT=results/report.html pytest tests/artifact/browser/test_report.py   # a report that is there
"""

import pytest

from tests.artifact.browser.conftest import PHONE, visit

DESK = (1280, 800)
MOST_DOWN = 15_000
"""Pixels of the front page with all figures, from top to bottom."""
SHOWN = "n => document.querySelectorAll('#ledger tbody tr:not([hidden])').length === n"


@pytest.fixture(scope="module")
def desk(chromium, details):
    with visit(chromium, details.as_uri()) as seen:
        yield seen


def column(page, number):
    """Text of a column of the ledger, visible rows from top to bottom."""
    return page.locator(f"#ledger tbody tr:visible td:nth-child({number})").all_inner_texts()


def test_the_front_page_asks_for_nothing_but_itself(chromium, report, screenshots):
    """An archived report must open in ten years, on a train."""
    with visit(chromium, report.as_uri(), *DESK) as seen:
        seen.page.screenshot(path=screenshots / "report-desk.png")
        assert [url for url in seen.requests if not url.startswith("data:")] == [report.as_uri()]
        assert seen.complaints == []
        assert seen.page.evaluate("document.documentElement.scrollHeight") <= MOST_DOWN
        drawn_and_told(seen.page)


def test_a_page_of_details_asks_for_its_figures_only(desk, details):
    figures = (details.parent.parent / "figures").as_uri()
    asked = [url for url in desk.requests if not url.startswith("data:")]
    assert asked[0] == details.as_uri() and all(url.startswith(figures) for url in asked[1:])
    assert desk.complaints == []
    drawn_and_told(desk.page)


def drawn_and_told(page):
    """No broken picture, and none that a screen reader passes over in silence."""
    images = page.locator("img")
    assert images.count() > 0
    for image in images.all():
        assert image.evaluate("i => i.complete && i.naturalWidth > 0")
        assert len(image.get_attribute("alt")) > 40
        assert image.is_visible()


def test_heads_of_the_ledger_sort(desk):
    """Numbers as numbers, and back again."""
    page = desk.page
    page.get_by_role("button", name="published", exact=True).click()
    ascending = [float(text.split()[0]) for text in column(page, 4) if text.split() and is_number(text.split()[0])]
    assert ascending == sorted(ascending) and len(set(ascending)) > 5
    page.get_by_role("button", name="published", exact=True).click()
    assert page.locator("#ledger th").nth(3).get_attribute("aria-sort") == "descending"
    descending = [float(text.split()[0]) for text in column(page, 4) if text.split() and is_number(text.split()[0])]
    assert descending == ascending[::-1] or descending == sorted(ascending, reverse=True)
    page.get_by_role("button", name="id", exact=True).click()
    assert column(page, 1) == sorted(column(page, 1))


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_the_ledger_filters(desk):
    """By verdict, by figure and by a word."""
    page = desk.page
    everything = page.locator("#ledger tbody tr").count()
    page.get_by_role("combobox", name="Figure").select_option("sjf-bco-fig4")
    ids = column(page, 1)
    assert 0 < len(ids) < everything
    assert page.locator("#shown").inner_text() == f"{len(ids)} of {everything} claims"
    page.get_by_label("Contains").fill("no such words")
    assert column(page, 1) == []
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(SHOWN, arg=everything)


def test_a_number_of_the_table_of_verdicts_leads_to_its_claims(chromium, report):
    with visit(chromium, report.as_uri()) as seen:
        page = seen.page
        count = page.locator(".counts td a").first
        number = int(count.inner_text())
        count.click()
        page.wait_for_function(SHOWN, arg=number)
        verdict = page.locator("#filters [name=verdict]").input_value()
        left = page.locator("#ledger tbody tr:visible").evaluate_all("rows => rows.map(row => row.dataset.verdict)")
        assert set(left) == {verdict}
        page.get_by_role("link", name="Back to the report").click()
        page.wait_for_url("**/report.html")


@pytest.mark.parametrize("width", [PHONE[0], 820, 1300])
def test_screens_scroll_downwards_only(width, chromium, report, details, screenshots):
    for path in (report, details):
        with visit(chromium, path.as_uri(), width, PHONE[1]) as seen:
            seen.page.screenshot(path=screenshots / f"{path.stem}-{width}.png")
            seen.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_shows_every_word_of_a_claim_beside_its_label(chromium, details):
    """Not below the label, where a line would hold one word."""
    with visit(chromium, details.as_uri(), *PHONE) as seen:
        outside = """() => [...document.querySelectorAll("#ledger tbody td")].flatMap((cell) => {
            const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
            const left = cell.getBoundingClientRect().left + parseFloat(getComputedStyle(cell).paddingLeft);
            while (walk.nextNode()) {
                const range = document.createRange();
                range.selectNodeContents(walk.currentNode);
                const starts = [...range.getClientRects()].map((box) => box.left);
                if (walk.currentNode.data.trim() && Math.min(...starts) < left - 1) found.push(walk.currentNode.data);
            }
            return found;
        })"""
        assert seen.page.evaluate(outside) == []
        assert seen.page.locator("#ledger tbody td").first.evaluate("cell => getComputedStyle(cell).paddingLeft") > "5"


def test_prints(chromium, details, screenshots):
    """On paper: all claims and figures, no controls."""
    with visit(chromium, details.as_uri()) as seen:
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("#filters").is_visible()
        assert seen.page.locator("#ledger").is_visible()
        assert not seen.page.locator(".ledger .evidence").first.is_visible()
        shown = seen.page.locator(".ledger .notebook").first
        assert shown.is_visible() and shown.inner_text().endswith(".ipynb")  # the way from a claim to its notebook
        assert seen.page.locator(".on-paper").first.is_visible()
        pdf = seen.page.pdf(path=screenshots / "report.pdf", prefer_css_page_size=True, format="A4")
        assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") > 1
