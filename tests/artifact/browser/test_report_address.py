"""The report's links: between figures and claims, to each claim, and to the claims that a filter leaves."""

from urllib.parse import parse_qs, urlparse

import pytest

from tests.artifact.browser.conftest import visit

VISIBLE = "#ledger tbody tr:not([hidden])"
FILTERED = f"n => document.querySelectorAll('{VISIBLE}').length === n"


@pytest.fixture
def page(chromium, details):
    with visit(chromium, details.as_uri()) as seen:
        yield seen.page


def ids(page):
    """Ids of the claims that are shown."""
    return page.locator(VISIBLE).evaluate_all("rows => rows.map(row => row.id)")


def query(page):
    return {key: values[0] for key, values in parse_qs(urlparse(page.url).query).items()}


def test_the_filter_is_kept_in_the_address(page, chromium):
    """Reloaded, sent to somebody else, and taken back step by step."""
    everything = ids(page)
    page.get_by_role("combobox", name="Role").select_option("tested")
    chosen = ids(page)
    verdict = page.locator(VISIBLE).first.get_attribute("data-verdict")
    page.get_by_role("combobox", name="Verdict").select_option(verdict)
    page.get_by_label("Contains").type("fig. 6")
    found = ids(page)
    assert 0 < len(found) < len(chosen) < len(everything)
    assert query(page) == {"role": "tested", "verdict": verdict, "text": "fig. 6"}
    page.reload()
    assert ids(page) == found
    assert page.get_by_label("Contains").input_value() == "fig. 6"
    with visit(chromium, page.url) as other:
        assert ids(other.page) == found
        assert other.page.locator("#ledger").evaluate("e => e.getBoundingClientRect().top") < 900
    page.go_back()
    assert query(page) == {"role": "tested"} and ids(page) == chosen
    page.go_back()
    assert query(page) == {} and ids(page) == everything
    page.go_forward()
    assert ids(page) == chosen
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function(FILTERED, arg=len(everything))
    assert query(page) == {}


def test_a_link_to_a_claim_shows_it_whatever_the_filter_hides(page):
    everything = ids(page)
    page.goto(f"{page.url}?role=tested#{everything[0]}")
    assert page.locator(f"#{everything[0]}").is_visible() and ids(page) == everything
    assert query(page) == {} and page.url.endswith(f"#{everything[0]}")


def test_reads_without_scripts(chromium, report):
    """All figures and claims, links of the summary included; only sorting and filtering are missing."""
    with visit(chromium, report.as_uri(), java_script_enabled=False) as seen:
        page = seen.page
        assert not page.locator("#filters").is_visible()
        assert page.locator("figure img").first.is_visible()
        page.locator(".counts td a").first.click()
        page.wait_for_url("**#ledger")
        page.locator("#ledger tbody tr").last.wait_for()


DESK = (1280, 800)
LEAST_CONTRAST = 4.5
"""Of text and its ground: level AA of the Web Content Accessibility Guidelines 2.2, criterion 1.4.3."""

FAINT = """least => {
    const linear = share => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    const channel = value => linear(value / 255);
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = node => {
        for (let at = node; at; at = at.parentElement) {
            const colour = numbers(getComputedStyle(at).backgroundColor);
            if (colour[3] !== 0) return colour;
        }
        return [255, 255, 255];
    };
    const found = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !node.checkVisibility()) continue;
        const [one, other] = [light(numbers(getComputedStyle(node).color)), light(ground(node))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < least) found.add(`${node.tagName}.${node.className}: ${contrast.toFixed(2)}`);
    }
    return [...found];
}"""


def lightness(colour):
    """Mean of the three channels of a colour as the browser writes it."""
    return sum(float(part) for part in colour.strip("rgba()").split(",")[:3]) / 3


def test_bar_and_heads_of_the_ledger_stay_in_sight(chromium, details):
    with visit(chromium, details.as_uri(), *DESK) as seen:
        page = seen.page
        page.locator("#ledger tbody tr").nth(30).evaluate("row => row.scrollIntoView()")
        bar, head = page.locator("header.top").bounding_box(), page.locator("#ledger thead th").first.bounding_box()
        assert bar["y"] == 0
        assert abs(head["y"] - bar["height"]) <= 1
        shown = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).closest('#ledger thead') !== null",
            [head["x"] + 12, head["y"] + head["height"] / 2],
        )
        assert shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme, chromium, report, details, screenshots):
    """In the report and in a notebook's page, whatever colours a reader's screen asks for."""
    notebook = sorted((report.parent / "notebooks").glob("*.html"))[0]
    for page in (report, details, notebook):
        with visit(chromium, page.as_uri(), color_scheme=scheme) as seen:
            seen.page.screenshot(path=screenshots / f"{page.stem}-{scheme}.png")
            ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (lightness(ground) < 64) == (scheme == "dark")
            assert seen.page.evaluate(FAINT, LEAST_CONTRAST) == []
