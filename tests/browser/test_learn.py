"""Each learn notebook in JupyterLab, as a reader meets it: open, run all cells, move the sliders."""

import nbformat
import pytest

from tests.browser.conftest import ROOT, visit

NOTEBOOKS = sorted((ROOT / "notebooks" / "learn").glob("*.ipynb"))
PATIENCE_MS = 120_000
ERRORS = '[data-mime-type="application/vnd.jupyter.error"]'
HANDLE = ".noUi-handle"
NUMBERED = """n => n <= [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .filter(prompt => /\\[\\d+\\]/.test(prompt.textContent)).length"""
DRAWN = ".jupyter-widgets .jp-OutputArea-output img"


def code_cells(path):
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code" and c.source.strip()]


def run_all(page):
    page.get_by_text("| Idle").wait_for()  # with no kernel yet, Lab would ask for one
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_and_its_sliders_draw_again(path, lab, chromium, screenshots):
    """An error in the page, or a slider that moves nothing, is what a first reader would see."""
    with visit(chromium, f"{lab}/doc/tree/{path.name}") as seen:
        page = seen.page
        page.set_default_timeout(PATIENCE_MS)
        try:
            run_all(page)
            page.wait_for_function(NUMBERED, arg=len(code_cells(path)))
            cells = page.locator(".jp-CodeCell").filter(has=page.locator(HANDLE))
            for cell in cells.all():
                move_sliders(page, cell)
        finally:
            page.screenshot(path=screenshots / f"lab-{path.stem}.png")
        assert page.locator(ERRORS).all_inner_texts() == []
        assert page.locator(".jp-OutputArea-output img").count() > 0
        assert cells.count() == sum("slider(" in cell.source for cell in code_cells(path))
        shut_down(page)


def move_sliders(page, cell):
    """Every slider of a cell by one step; the picture under it must become another one."""
    for slider in cell.locator(HANDLE).all():
        slider.scroll_into_view_if_needed()
        image = cell.locator(DRAWN).first
        before = image.get_attribute("src")
        slider.focus()
        slider.press("ArrowRight")
        page.wait_for_function(
            "([old, cell, drawn]) => { const now = cell.querySelector(drawn); return now && now.src !== old; }",
            arg=[before, cell.element_handle(), DRAWN],
        )


def shut_down(page):
    """End the kernel, so that they do not add up."""
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()
