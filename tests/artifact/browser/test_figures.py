"""Figure notebooks in JupyterLab, from a fresh checkout: open, run all cells, move the controls, look at the picture.

The first one is opened with every run of the tests; `make release ARGS='--only lab'` opens all of them.
"""

import re

import pytest
import yaml

from tests.artifact.browser.conftest import ROOT, visit
from tests.artifact.browser.lab_page import COLOURS, DRAWN, HANDLE, code_cells, errors, run_all, shut_down, step
from tests.circles import first

LISTED = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text(encoding="utf-8"))
PATHS = {name: ROOT / "notebooks" / "figures" / f"{name}.ipynb" for name in LISTED}
CONTROLS = re.compile(r"\bplay\(")
PLAYED = [name for name, path in PATHS.items() if any(CONTROLS.search(cell.source) for cell in code_cells(path))]


@pytest.mark.parametrize("name", first(1, PLAYED))
def test_runs_and_answers_to_its_controls(name, lab, chromium, screenshots):
    with visit(chromium, f"{lab}/doc/tree/notebooks/figures/{name}.ipynb") as seen:
        page = seen.page
        try:
            run_all(page, len(code_cells(PATHS[name])))
            page.locator(DRAWN).first.wait_for()
            look(page, LISTED[name]["alt"])
            cell = page.locator(".jp-CodeCell").filter(has=page.locator(DRAWN)).last
            controls = cell.locator(f"{HANDLE}, .widget-toggle-buttons").all()
            assert controls
            pictures = {cell.locator(DRAWN).first.get_attribute("src")}
            for control in controls:
                pictures.add(moved(page, cell, control))
            assert len(pictures) > 1
            look(page, LISTED[name]["alt"])
        finally:
            page.screenshot(path=screenshots / f"lab-{name}.png")
        shut_down(page)


def moved(page, cell, control):
    """The picture after one step of a control; its text names the values chosen."""
    before = cell.locator(DRAWN).first.get_attribute("alt")
    step(control)
    page.wait_for_function(
        "([old, cell, drawn]) => { const now = cell.querySelector(drawn); return now && now.alt !== old; }",
        arg=[before, cell.element_handle(), DRAWN],
    )
    return cell.locator(DRAWN).first.get_attribute("src")


def look(page, figure):
    """No error; pictures with something on them and a text, the figure's among them; a label on each control."""
    assert errors(page) == []
    images = page.locator(".jp-OutputArea-output img").all()
    texts = [image.get_attribute("alt") or "" for image in images]
    assert figure in texts and min(map(len, texts)) > 20
    for image in images:
        assert image.evaluate("image => image.complete && image.naturalWidth") > 200
        assert image.evaluate(COLOURS) > 10
    labels = page.locator(".widget-slider > .widget-label, .widget-toggle-buttons > .widget-label").all_inner_texts()
    assert labels and all(label.strip() for label in labels)
