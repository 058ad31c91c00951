"""Each learn notebook in JupyterLab, as a reader meets it: open, run all cells, move the sliders."""

import pytest

from tests.artifact.browser.conftest import ROOT, visit
from tests.artifact.browser.lab_page import DRAWN, HANDLE, code_cells, errors, run_all, shut_down, step
from tests.circles import first

NOTEBOOKS = sorted((ROOT / "notebooks" / "learn").glob("*.ipynb"))


@pytest.mark.parametrize("path", first(1, NOTEBOOKS), ids=lambda path: path.stem)
def test_runs_and_its_sliders_draw_again(path, lab, chromium, screenshots):
    with visit(chromium, f"{lab}/doc/tree/notebooks/learn/{path.name}") as seen:
        page = seen.page
        try:
            run_all(page, len(code_cells(path)))
            cells = page.locator(".jp-CodeCell").filter(has=page.locator(HANDLE))
            for cell in cells.all():
                move_sliders(page, cell)
        finally:
            page.screenshot(path=screenshots / f"lab-{path.stem}.png")
        assert errors(page) == []
        assert page.locator(".jp-OutputArea-output img").count() > 0
        assert cells.count() == sum("slider(" in cell.source for cell in code_cells(path))
        shut_down(page)


def move_sliders(page, cell):
    """Every slider of a cell by one step; the picture under it must become another one."""
    for slider in cell.locator(HANDLE).all():
        before = cell.locator(DRAWN).first.get_attribute("src")
        step(slider)
        page.wait_for_function(
            "([old, cell, drawn]) => { const now = cell.querySelector(drawn); return now && now.src !== old; }",
            arg=[before, cell.element_handle(), DRAWN],
        )
