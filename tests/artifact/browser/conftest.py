"""One browser, and one JupyterLab started in a folder with the notebooks of a fresh checkout."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import sync_playwright

from artifact.report.notebook_pages import write_pages, write_tutorials
from artifact.report.page import write_report
from tests.artifact.run.report.sample import COMMIT, FIGURES, INSTANCES, TUTORIALS, sample_results

ROOT = Path(__file__).parents[3]
PHONE = (390, 844)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items):
    """Everything here needs a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium():
    """Chromium, headless; gone with its tests, since others need to be without child processes and event loops."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (on Debian: apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screenshots():
    """Where pictures of the pages go, for looking at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Path of a report with its notebook pages beside it."""
    if "RARLIB_REPORT" in os.environ:
        return Path(os.environ["RARLIB_REPORT"]).resolve()
    folder = sample_results(tmp_path_factory.mktemp("report"))
    write_report(folder, list(FIGURES), TUTORIALS, INSTANCES, COMMIT)
    write_pages(sorted((folder / "notebooks").glob("*.ipynb")))
    write_tutorials(sorted((folder / "notebooks/learn").glob("*.ipynb")))
    return folder / "report.html"


@pytest.fixture(scope="session")
def details(report):
    """Path of a page of details with figures and claims."""
    return report.parent / "report" / "sjf-bco-mobihoc-2022.html"


class Visit:
    """A page, and what it asked for or complained about."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        self.requests = []
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url[:200]}"))
        page.on("request", lambda request: self.requests.append(request.url))


@contextmanager
def visit(browser, url, width=1400, height=900, **options):
    """Open a page in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    try:
        seen = Visit(context.new_page())
        seen.page.goto(url)
        yield seen
    finally:
        context.close()


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """Address of a JupyterLab with the project's settings for it; it knows no results, no traces and no network."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", home / "checkout" / "notebooks")
    broken = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in ("1 + 1", "1 / 0")])
    broken.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(broken, home / "checkout" / "notebooks" / "broken.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("RARLIB_", "JUPYTER"))}
    variables |= {"PYTHONPATH": str(ROOT), "RARLIB_OFFLINE": "1", "RARLIB_RESULTS": str(home / "results")}
    variables |= {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    variables |= {"JUPYTER_CONFIG_PATH": str(ROOT / "config" / "jupyter"), "IPYTHONDIR": str(home / "ipython")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"]
    with (home / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=variables, cwd=home / "checkout", stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, server, home / "lab.log")
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait(address, server, log):
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/api", timeout=5):
                return
        except OSError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab does not answer: {log.read_text()}")
