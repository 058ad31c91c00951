"""The editions that others build: Binder's image and the browser's site say what the main environment says."""

import re
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def pins(name):
    return dict(PIN.findall((ROOT / name).read_text()))


def test_binder_finds_its_files():
    """A folder `binder` would hide environment.yml, which installs the project from its own folder."""
    assert not (ROOT / "binder").exists() and not (ROOT / ".binder").exists()
    *_, last = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert last["pip"] == ["--editable ."] and (ROOT / "pyproject.toml").is_file()


@pytest.mark.parametrize(
    "name",
    ["notebooks/lite/tools", "notebooks/lite/wheels", "workflow/archive/tools", "docs/site/tools"],
)
def test_locks_hold_what_is_asked_for(name):
    """A failure means a list was edited without `make lock`."""
    asked = (ROOT / f"{name}.in").read_text().splitlines()
    wanted = [Requirement(line) for line in asked if line and not line.startswith("#")]
    text = (ROOT / f"{name}.lock").read_text()
    locked = pins(f"{name}.lock")
    assert all(each.specifier.contains(locked[each.name.lower()]) for each in wanted)
    blocks = [block for block in re.split(r"\n(?=[A-Za-z0-9])", text) if PIN.match(block)]
    assert len(blocks) >= len(wanted) and all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"https?://|file://|--index-url|--find-links", text)


def test_sliders_are_the_same_in_the_browser():
    """The frontend's and the kernel's part of ipywidgets have to be of one version."""
    main, tools, wheels = (
        pins("requirements.lock"),
        pins("notebooks/lite/tools.lock"),
        pins("notebooks/lite/wheels.lock"),
    )
    assert wheels["ipywidgets"] == main["ipywidgets"]
    assert tools["jupyterlab-widgets"] == wheels["jupyterlab-widgets"] == main["jupyterlab-widgets"]
    assert Version(tools["jupyterlite-core"]).release[:2] == Version(tools["jupyterlite-pyodide-kernel"]).release[:2]
