"""The notebook driver: strict about parameters, honest about failures."""

import os

import nbformat
import pytest
from jupyter_client import AsyncKernelClient
from nbformat.v4 import new_code_cell, new_notebook

from artifact.plot.learn.slider import ON_PAGE
from artifact.run.notebooks import parameters_of, run_notebook, run_tutorial
from rarlib.model.errors import InputError


def notebook(path, body, tags=("parameters",)):
    cells = [new_code_cell("factor = 2\ntarget = ''", metadata={"tags": list(tags)}), new_code_cell(body)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def test_parameters_reach_the_notebook_and_the_source_stays_clean(tmp_path):
    source = notebook(tmp_path / "a.ipynb", "open(target, 'w').write(str(factor * 21))")
    before = source.read_bytes()
    run_notebook(source, tmp_path / "out" / "a.ipynb", {"factor": 3, "target": str(tmp_path / "answer")})
    assert (tmp_path / "answer").read_text() == "63"
    assert source.read_bytes() == before


def test_values_that_the_notebook_has_anyway_are_not_written_down_twice(tmp_path):
    source = notebook(tmp_path / "a.ipynb", "print(factor)")
    run_notebook(source, tmp_path / "b.ipynb", {"factor": 2})
    assert len(nbformat.read(tmp_path / "b.ipynb", as_version=4).cells) == 2


def test_unknown_parameter_is_an_error_before_anything_runs(tmp_path):
    source = notebook(tmp_path / "a.ipynb", f"open({str(tmp_path / 'answer')!r}, 'w')")
    with pytest.raises(InputError, match=r"unknown parameter 'facter'; known: factor, target"):
        run_notebook(source, tmp_path / "b.ipynb", {"facter": 3})
    assert not (tmp_path / "answer").exists()
    assert not (tmp_path / "b.ipynb").exists()


def test_failing_cell_is_named_and_leaves_no_executed_copy(tmp_path):
    source = notebook(tmp_path / "a.ipynb", "1 / 0")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        run_notebook(source, tmp_path / "b.ipynb", {})
    assert not (tmp_path / "b.ipynb").exists()
    assert (tmp_path / "b.failed.ipynb").exists()


@pytest.mark.parametrize(("content", "complaint"), [(None, "no such file"), ("{", "is not a notebook")])
def test_unreadable_notebook(tmp_path, content, complaint):
    path = tmp_path / "a.ipynb"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=complaint):
        parameters_of(path)


def test_notebook_without_parameters_cell(tmp_path):
    with pytest.raises(InputError, match="no cell with the tag"):
        parameters_of(notebook(tmp_path / "a.ipynb", "1", tags=()))


def test_a_page_has_no_sliders_and_no_data_of_this_machine(tmp_path, monkeypatch):
    """It would show dead sliders, and numbers that another machine has not; afterwards all is as before."""
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("RARLIB_MIRROR", str(tmp_path / "mirror"))
    before = dict(os.environ)
    code = """
from artifact.plot.learn.slider import slider
from rarlib.traces import places
print(slider(print, x=[1, 2]), places.mirrors(), places.raw_folder().exists(), places.switched_off())"""
    run_tutorial(notebook(tmp_path / "a.ipynb", code, tags=()), tmp_path / "b.ipynb")
    (shown,) = nbformat.read(tmp_path / "b.ipynb", as_version=4).cells[1].outputs
    assert shown.text.strip() == f"{ON_PAGE} () False True"
    assert dict(os.environ) == before


@pytest.mark.parametrize("deaths", [2, 3])
def test_a_kernel_that_ends_before_it_answers_is_started_again(tmp_path, monkeypatch, deaths):
    """Another program may have taken its ports; whatever else goes wrong is not tried again."""
    source, left = tmp_path / "n.ipynb", [deaths]
    nbformat.write(new_notebook(cells=[new_code_cell("print(1)")]), source)
    whole = AsyncKernelClient._async_wait_for_ready

    async def wait(self, timeout=None):
        if left[0]:
            left[0] -= 1
            raise RuntimeError("Kernel died before replying to kernel_info")
        await whole(self, timeout)

    monkeypatch.setattr(AsyncKernelClient, "wait_for_ready", wait)
    if deaths < 3:
        run_notebook(source, tmp_path / "executed.ipynb", {})
        assert "1" in (tmp_path / "executed.ipynb").read_text()
    else:
        with pytest.raises(RuntimeError, match="before replying"):
            run_notebook(source, tmp_path / "executed.ipynb", {})
        assert not (tmp_path / "executed.ipynb").exists()
    assert left == [0]
