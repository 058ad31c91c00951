"""The report's links: between figures and claims, to each claim, and to the claims that a filter leaves."""

from urllib.parse import parse_qs, urlparse

import pytest

from tests.browser.conftest import visit

VISIBLE = "#ledger tbody tr:not([hidden])"
FILTERED = f"n => document.querySelectorAll('{VISIBLE}').length === n"


@pytest.fixture
def page(chromium, report):
    with visit(chromium, report.as_uri()) as seen:
        yield seen.page


def ids(page):
    """Ids of the claims that are shown."""
    return page.locator(VISIBLE).evaluate_all("rows => rows.map(row => row.id)")


def query(page):
    return {key: values[0] for key, values in parse_qs(urlparse(page.url).query).items()}


def test_the_filter_is_kept_in_the_address(page, chromium):
    """Reloaded, sent to somebody else, and taken back step by step."""
    everything = ids(page)
    page.get_by_role("combobox", name="Paper").select_option("gadget")
    chosen = ids(page)
    verdict = page.locator(VISIBLE).first.get_attribute("data-verdict")
    page.get_by_role("combobox", name="Verdict").select_option(verdict)
    page.get_by_label("Contains").type("fig. 4")
    found = ids(page)
    assert 0 < len(found) < len(chosen) < len(everything)
    assert query(page) == {"paper": "gadget", "verdict": verdict, "text": "fig. 4"}
    page.reload()
    assert ids(page) == found
    assert page.get_by_label("Contains").input_value() == "fig. 4"
    with visit(chromium, page.url) as other:
        assert ids(other.page) == found
        assert other.page.locator("#ledger").evaluate("e => e.getBoundingClientRect().top") < 900
    page.go_back()
    assert query(page) == {"paper": "gadget"} and ids(page) == chosen
    page.go_back()
    assert query(page) == {} and ids(page) == everything
    page.go_forward()
    assert ids(page) == chosen
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(FILTERED, arg=len(everything))
    assert query(page) == {}


def test_a_link_to_a_claim_shows_it_whatever_the_filter_hides(page):
    everything = ids(page)
    page.goto(f"{page.url}?paper=gadget#{everything[0]}")
    assert page.locator(f"#{everything[0]}").is_visible() and ids(page) == everything
    assert query(page) == {} and page.url.endswith(f"#{everything[0]}")


def test_reads_without_scripts(chromium, report):
    """All figures and claims, links of the summary included; only sorting and filtering are missing."""
    with visit(chromium, report.as_uri(), java_script_enabled=False) as seen:
        page = seen.page
        assert not page.locator("#filters").is_visible()
        assert page.locator("figure img").first.is_visible()
        page.locator(".intro .counts td a").first.click()
        page.wait_for_url("**#ledger")
        page.locator("#ledger tbody tr").last.wait_for()
