"""A private copy of the project, so that tests may edit code and configuration."""

import pytest

from tests import project_copy


class Project(project_copy.Project):
    """A copy of the project in which Snakemake can be run, for everything that it makes."""

    def snakemake(self, *arguments, **variables):
        """Run Snakemake offline; returns the finished process, output and errors together in `stdout`."""
        return self.run("-m", "snakemake", "--configfile", "config/tiny.yaml", *arguments, variables=variables)

    def make(self, *arguments, **variables):
        """The same through the runner that `make` starts."""
        return self.run("workflow/scripts/run.py", "--configfile", "config/tiny.yaml", *arguments, variables=variables)

    def planned(self, *arguments, **variables):
        """Jobs a dry run would execute, by rule."""
        done = self.snakemake("-n", *arguments, **variables)
        assert done.returncode == 0, done.stdout[-3000:]
        text = done.stdout
        table = text[text.find("Job stats:") :].splitlines()[3:] if "Job stats:" in text else []
        rows = [line.split() for line in table]
        rows = rows[: next((i for i, row in enumerate(rows) if row[:1] == ["total"]), 0)]
        return {rule: int(count) for rule, count in rows}


def copy_project(target):
    project_copy.copy_project(target, project_copy.PART)
    return Project(target)


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A copy in which everything has been made once, on one core."""
    made = copy_project(tmp_path_factory.mktemp("finished"))
    done = made.make("--cores", "1")
    assert done.returncode == 0, done.stdout[-3000:]
    return made
