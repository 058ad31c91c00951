"""What a reader of the report sees first, and on a dark screen."""

import pytest

from tests.browser.conftest import visit

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


def test_bar_and_heads_of_the_ledger_stay_in_sight(chromium, report):
    with visit(chromium, report.as_uri(), *DESK) as seen:
        page = seen.page
        page.locator("#ledger tbody tr").nth(100).evaluate("row => row.scrollIntoView()")
        bar, head = page.locator("header.top").bounding_box(), page.locator("#ledger thead th").first.bounding_box()
        assert bar["y"] == 0
        assert abs(head["y"] - bar["height"]) <= 1
        shown = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).closest('#ledger thead') !== null",
            [head["x"] + 12, head["y"] + head["height"] / 2],
        )
        assert shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme, chromium, report, screenshots):
    """In the report and in a notebook's page, whatever colours a reader's screen asks for."""
    notebook = sorted((report.parent / "notebooks").glob("*.html"))[0]
    for page in (report, notebook):
        with visit(chromium, page.as_uri(), color_scheme=scheme) as seen:
            seen.page.screenshot(path=screenshots / f"{page.stem}-{scheme}.png")
            ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (lightness(ground) < 64) == (scheme == "dark")
            assert seen.page.evaluate(FAINT, LEAST_CONTRAST) == []
