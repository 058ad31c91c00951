"""What sets tables apart from the headline is said, and only then."""

import pytest

from artifact.run.settings import configuration, remarks, section_of, settings_of, split, typed


def settings(name, table):
    config = configuration(name)
    experiment, part = split(table, config)
    return settings_of(section_of(config, experiment), part)


TABLES = [
    f"{name.replace('_', '-')}-{part}"
    for name, section in configuration()["experiments"].items()
    for part in section["cells"]
]


@pytest.mark.parametrize("table", TABLES)
def test_headline_and_its_full_configuration_need_no_remark(table):
    for name in ("config", "full"):
        assert remarks([table], {table: settings(name, table)}) == []


def test_a_part_of_the_headline_is_not_a_what_if():
    table = "sjf-bco-fig4"
    small = settings("quick", table)
    (line,) = remarks([table], {table: small})
    assert line.startswith("A SMALL PART: ")
    assert f"seeds {small['seeds']} (headline {settings('config', table)['seeds']})" in line


def test_another_value_is_a_what_if():
    table = "sjf-bco-fig4"
    made = settings("config", table) | {"lambda": 3}
    assert remarks([table], {table: made}) == ["WHAT IF: lambda 3 (headline not set)"]


def test_command_line_gives_texts_and_the_configuration_gets_their_values():
    given = {"minutes": "5", "results": "7", "experiments": {"sjf_bco": {"lambda": "4", "readings": ["stated"]}}}
    assert typed(given, configuration()) == {
        "minutes": 5,
        "results": "7",
        "experiments": {"sjf_bco": {"lambda": 4, "readings": ["stated"]}},
    }
