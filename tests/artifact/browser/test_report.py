"""The report as a reader meets it: opened from disk, on a desk, a phone and paper.

RARLIB_REPORT=results/report.html pytest tests/artifact/browser/test_report.py   # a report that is there
"""

import pytest

from tests.artifact.browser.conftest import PHONE, visit

SHOWN = "n => document.querySelectorAll('#ledger tbody tr:not([hidden])').length === n"


@pytest.fixture(scope="module")
def desk(chromium, report):
    with visit(chromium, report.as_uri()) as seen:
        yield seen


def column(page, number):
    """Text of a column of the ledger, visible rows from top to bottom."""
    return page.locator(f"#ledger tbody tr:visible td:nth-child({number})").all_inner_texts()


def test_asks_for_nothing_but_itself(desk, report, screenshots):
    desk.page.screenshot(path=screenshots / "report-desk.png")
    assert [url for url in desk.requests if not url.startswith("data:")] == [report.as_uri()]
    assert desk.complaints == []


def test_every_figure_is_drawn_and_told(desk):
    images = desk.page.locator("figure img")
    assert images.count() > 0
    for image in images.all():
        assert image.evaluate("i => i.complete && i.naturalWidth > 0")
        assert len(image.get_attribute("alt")) > 40
        assert image.is_visible()


def test_heads_of_the_ledger_sort(desk):
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
    """By paper, by verdict, by a word, and by a click on a count."""
    page = desk.page
    everything = page.locator("#ledger tbody tr").count()
    page.get_by_role("combobox", name="Paper").select_option("sia")
    ids = column(page, 1)
    assert 0 < len(ids) < everything and all(name.startswith("sia-") for name in ids)
    assert page.locator("#shown").inner_text() == f"{len(ids)} of {everything} claims"
    page.get_by_label("Contains").fill("no such words")
    assert column(page, 1) == []
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(SHOWN, arg=everything)
    count = page.locator(".counts td a").first
    count.click()
    page.wait_for_function(SHOWN, arg=int(count.inner_text()))
    verdict = page.locator("#filters [name=verdict]").input_value()
    left = page.locator("#ledger tbody tr:visible").evaluate_all("rows => rows.map(row => row.dataset.verdict)")
    assert set(left) == {verdict}
    page.get_by_role("button", name="Show all").click()


def test_links_inside_the_page_and_beside_it_lead_somewhere(desk, report):
    hrefs = desk.page.locator("a[href]").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    ids = set(desk.page.locator("[id]").evaluate_all("nodes => nodes.map(n => n.id)"))
    assert [href for href in hrefs if href.startswith(("#", "?")) and href.partition("#")[2] not in ids] == []
    files = {href.partition("#")[0] for href in hrefs if not href.startswith(("#", "?", "https:"))}
    assert files and [name for name in sorted(files) if not (report.parent / name).is_file()] == []


@pytest.mark.parametrize("width", [PHONE[0], 820, 1300])
def test_screens_scroll_downwards_only(width, chromium, report, screenshots):
    with visit(chromium, report.as_uri(), width, PHONE[1]) as seen:
        seen.page.screenshot(path=screenshots / f"report-{width}.png")
        seen.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_prints(chromium, report, screenshots):
    """On paper: all claims and figures, no controls."""
    with visit(chromium, report.as_uri()) as seen:
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("#filters").is_visible()
        assert seen.page.locator("#ledger").is_visible()
        assert not seen.page.locator(".ledger .evidence").first.is_visible()
        shown = seen.page.locator(".ledger .notebook").first
        assert shown.is_visible() and shown.inner_text().endswith(".ipynb")  # the way from a claim to its notebook
        assert seen.page.locator(".on-paper").first.is_visible()
        pdf = seen.page.pdf(path=screenshots / "report.pdf", prefer_css_page_size=True, format="A4")
        assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") > 1
