"""Slow tests are listed, and skipped ones are errors where everything is at hand."""

import pytest

from tools.tests import main

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a.test_x" name="quick" time="0.1"/>
<testcase classname="tests.a.test_x" name="slow" time="1.5"><properties>
<property name="processor_s" value="20.5"/></properties></testcase>
<testcase classname="tests.artifact.browser.test_y" name="page" time="0"><skipped message="no browser"/></testcase>
{more}</testsuite></testsuites>"""
SKIPPED = '<testcase classname="tests.a.test_x" name="real" time="0"><skipped/></testcase>'


@pytest.fixture
def report(tmp_path):
    def write(more=""):
        path = tmp_path / "tests.xml"
        path.write_text(REPORT.format(more=more))
        return path

    return write


def test_skipped_tests_are_errors_when_asked(report, capsys):
    assert main([str(report(SKIPPED))]) == 0
    assert main([str(report()), "--no-skips"]) == 1
    assert main([str(report()), "--no-skips", "--without", "browser"]) == 0
    assert main([str(report()), "--no-skips", "--without", "tex", "--without", "browser"]) == 0
    capsys.readouterr()
    assert main([str(report(SKIPPED)), "--no-skips", "--without", "browser"]) == 1
    error = capsys.readouterr().err
    assert "tests.a.test_x::real" in error
    assert "browser" not in error
