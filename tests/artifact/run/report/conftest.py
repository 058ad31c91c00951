"""A results folder with everything a report is made of."""

import pytest

from tests.artifact.run.report.sample import sample_results


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    return sample_results(tmp_path_factory.mktemp("results"))
