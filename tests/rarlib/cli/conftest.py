"""Commands in this process: how they end, and what they print."""

import pytest

from rarlib.cli.main import main


@pytest.fixture
def run(capsys):
    """Runs a command; gives its exit code, and what it printed."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        return end.value.code, capsys.readouterr()

    return run


@pytest.fixture
def refused(run):
    """Runs a command that must end with exit code 2 and one line; gives the line."""

    def refused(*words):
        code, told = run(*words)
        assert (code, told.err.count("\n")) == (2, 1), told
        return told.err

    return refused
