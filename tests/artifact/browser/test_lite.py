"""The browser edition: what is in the site, and that it runs in Chromium without any network.

Where the compiled packages of Pyodide are not served (see `lite_site`), notebooks are opened and run up to the point
where they are asked for: then these files, and nothing else, are missing.
"""

import json
import re
import time
import zipfile
from urllib.parse import quote

import pytest

from tests.artifact.browser.lab_page import errors
from tests.artifact.browser.lite_site import ROOT, build_site, missing, served

pytestmark = [pytest.mark.release, pytest.mark.skipif(bool(missing()), reason=missing() or "-")]
NOTEBOOKS = ("06-pipelines.ipynb", "08-your-scheduler.ipynb")
COMPILED = {"numpy", "pandas", "scipy", "matplotlib", "pyyaml"}
CODE = """\
import compileall, json, sys
from pathlib import Path
import piplite
await piplite.install("rarlib", deps=False)
import rarlib
from artifact.plot.learn.slider import slider
from rarlib.ilp.solvers import INSTALLED, cp_model
from rarlib.model.errors import InputError
from rarlib.traces.places import data_folder
try:
    cp_model.CpModel()
except InputError as error:
    said = str(error)
home = Path(rarlib.__file__).parent
print(json.dumps({"compiles": bool(compileall.compile_dir(home, quiet=2)), "ortools": INSTALLED, "said": said,
    "standins": len([*data_folder().glob("standin/*.json")]), "slider": slider(print, x=[1]), "on": sys.platform}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("lite"))


@pytest.fixture(scope="module")
def browser(site, chromium):
    """Chromium, and the address at which the site is served."""
    with served(site.folder) as address:
        yield chromium, address


def test_site_holds_the_notebooks_and_rarlib(site):
    """The notebooks as they are, with one more cell; rarlib with its stand-in data; no wheel from elsewhere."""
    originals = sorted((ROOT / "notebooks" / "learn").glob("*.ipynb"))
    assert [path.name for path in originals] == sorted(path.name for path in site.folder.glob("files/*.ipynb"))
    for original in originals:
        copy = json.loads((site.folder / "files" / original.name).read_text())
        first, *rest = copy["cells"]
        assert rest == json.loads(original.read_text())["cells"]
        assert "%pip install -q rarlib" in "".join(first["source"])
    (wheel,) = site.folder.glob("pypi/rarlib-*-py3-none-any.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        str(path.relative_to(ROOT)) for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py")
    }
    assert sources <= names
    assert {f"data/standin/{path.name}" for path in (ROOT / "data" / "standin").glob("*.json")} <= names
    settings = json.loads((site.folder / "jupyter-lite.json").read_text())["jupyter-config-data"]["litePluginSettings"]
    assert settings["@jupyterlite/pyodide-kernel-extension:kernel"]["disablePyPIFallback"] is True


def test_kernel_runs_rarlib(browser):
    """A kernel starts, takes rarlib from the site, compiles all of it and knows what it does without."""
    opened, address = browser
    page, outside = opened.new_page(), []
    page.on(
        "request",
        lambda request: None if request.url.startswith((address, "data:", "blob:")) else outside.append(request.url),
    )
    page.goto(f"{address}/repl/index.html?kernel=python&code={quote(CODE)}")
    said = wait_for(page, lambda: [text for text in outputs(page) if text.strip()], 180)
    found = json.loads(said[0])
    assert found["on"] == "emscripten" and found["compiles"] and not found["ortools"]
    assert "ortools, which is not installed" in found["said"] and "ipywidgets" in found["slider"]
    assert found["standins"] == len([*(ROOT / "data" / "standin").glob("*.json")])
    assert [url for url in outside if not url.startswith((address, "data:", "blob:"))] == []
    page.close()


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_notebook_runs(browser, site, notebook):
    """All cells without error; or, where compiled packages are not served, these alone are what is missing."""
    opened, address = browser
    page, failed = opened.new_page(viewport={"width": 1300, "height": 900}), []
    page.on("requestfailed", lambda request: failed.append(request.url.rpartition("/")[2]))
    page.goto(f"{address}/lab/index.html?path={notebook}")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    idle = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
    page.wait_for_function(idle, timeout=90_000)
    page.click(".lm-MenuBar-item:has-text('Run')")
    page.get_by_text("Run All Cells", exact=True).click()
    if site.complete:
        cells = page.locator(".jp-CodeCell .jp-InputPrompt")
        done = re.compile(r"\[\d+\]:?")
        wait_for(page, lambda: all(done.fullmatch(text.strip()) for text in cells.all_inner_texts()), 300)
        assert errors(page) == []
        assert page.locator(".jp-OutputArea-output img").count() > 0
    else:
        wanted = {site.lock[name] for name in COMPILED}
        wait_for(page, lambda: wanted <= set(failed), 120)
        assert set(failed) <= set(site.lock.values())
    page.close()


def outputs(page):
    return [each.inner_text() for each in page.query_selector_all(".jp-OutputArea-output")]


def wait_for(page, answer, seconds):
    """Whatever is true first; the page's events arrive meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := answer():
            return found
        page.wait_for_timeout(500)
    raise AssertionError("nothing came")
