"""JupyterLab as it opens in this project: the start page, no questions, no warnings; the gallery is one click away."""

import pytest

from tests.artifact.browser.conftest import ROOT, visit
from tests.artifact.browser.lab_page import code_cells, errors, run_all, shut_down

START = ROOT / "notebooks" / "00-start-here.ipynb"


@pytest.mark.release
def test_opens_the_start_page_and_asks_nothing(lab, chromium, screenshots):
    with visit(chromium, lab) as seen:
        page = seen.page
        page.get_by_role("heading", name="Start here").wait_for()
        page.get_by_text("| Idle").wait_for()
        page.screenshot(path=screenshots / "lab-start.png")
        assert page.url.partition("?")[0] == f"{lab}/lab/tree/notebooks/00-start-here.ipynb"
        assert page.get_by_role("dialog").count() == page.locator(".Toastify__toast").count() == 0
        assert page.get_by_text("not trusted").count() == 0
        run_all(page, len(code_cells(START)))
        page.screenshot(path=screenshots / "lab-start-run.png")
        assert errors(page) == []
        drawn = page.locator(".jp-OutputArea-output img")
        assert drawn.count() == 2
        assert "WHAT IF" in page.locator(".jp-Notebook").inner_text()
        shut_down(page)
        page.get_by_role("link", name="the gallery").click()
        page.get_by_role("heading", name="Notebooks").wait_for()
        page.screenshot(path=screenshots / "lab-gallery.png")
