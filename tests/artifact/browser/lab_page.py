"""A notebook in JupyterLab, driven as a reader would drive it."""

import nbformat
from playwright.sync_api import Locator, Page

ERRORS = """() => {
    const shown = [...document.querySelectorAll(
        '[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]')];
    const said = shown.map(output => output.innerText).filter(text => /Traceback|Error\\b|^error: /m.test(text));
    const open = window.jupyterapp?.shell.currentWidget?.content?.model?.toJSON();
    const outputs = (open?.cells ?? []).flatMap(cell => cell.outputs ?? []);
    return [...said, ...outputs.filter(each => each.output_type === "error").map(each => each.ename)];
}"""
HANDLE = ".noUi-handle"
DRAWN = ".jupyter-widgets .jp-OutputArea-output img"
PATIENCE_MS = 300_000
NUMBERED = """n => n <= [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
    .filter(prompt => /\\[\\d+\\]/.test(prompt.textContent)).length"""
COLOURS = """image => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
}"""


def errors(page: Page) -> list[str]:
    """Errors of the open notebook: those its cells' outputs hold, and what is shown as one, below controls too.

    JupyterLab shows an error under the type of standard error, which a progress bar has as well.
    """
    found: list[str] = page.evaluate(ERRORS)
    return found


def code_cells(path):
    """Code cells of a notebook that have code."""
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code" and c.source.strip()]


def run_all(page: Page, cells: int) -> None:
    """Run all cells, and wait until as many have ended."""
    page.set_default_timeout(PATIENCE_MS)
    page.get_by_text("| Idle").wait_for()  # with no kernel yet, Lab would ask for one
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(NUMBERED, arg=cells)


def shut_down(page: Page) -> None:
    """End the kernel, so that they do not add up."""
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()


def step(control: Locator) -> None:
    """Move a slider to a neighbouring value, or press the next of some buttons, with the keyboard."""
    control.scroll_into_view_if_needed()
    buttons = control.locator("button:not(.mod-active)")
    if buttons.count():
        buttons.first.focus()
        buttons.first.press("Space")
    else:
        control.focus()
        now, most = (float(control.get_attribute(f"aria-value{name}")) for name in ("now", "max"))
        control.press("ArrowLeft" if now == most else "ArrowRight")
