"""A private copy of a part of the project, in which Snakemake runs."""

import pytest

from tests.project_copy import PART, Project, copy_project


@pytest.fixture
def project(tmp_path):
    copy_project(tmp_path / "copy", PART)
    return Project(tmp_path / "copy")
