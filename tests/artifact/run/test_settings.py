"""What sets tables apart from the headline is said, and only then."""

import json

import pytest

from artifact.run.settings import configuration, recorded_remarks, remarks, section_of, settings_of, split, typed


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


def test_settings_of_one_table_win_over_those_of_all():
    assert settings("config", "sjf-bco-fig6")["T"] == 1500
    assert settings("config", "sjf-bco-fig4")["T"] == 1200


def test_what_does_not_concern_a_table_needs_no_remark():
    """Equation 8 has no instances, so a part of the instances is all of it."""
    assert settings("quick", "sjf-bco-eq8") == settings("config", "sjf-bco-eq8")
    assert "seeds" not in settings("config", "sjf-bco-eq8")


def test_remarks_are_read_from_what_the_pipeline_has_recorded(tmp_path):
    (tmp_path / "provenance").mkdir()
    for table, more in (("sjf-bco-fig4", {"lambda": 3}), ("sjf-bco-fig6", {})):
        made = {"settings": settings("config", table) | more}
        (tmp_path / f"provenance/{table}.json").write_text(json.dumps(made))
    assert recorded_remarks(tmp_path) == {"sjf-bco-fig4": "WHAT IF: lambda 3 (headline not set)"}


def test_command_line_gives_texts_and_the_configuration_gets_their_values():
    given = {"minutes": "5", "results": "7", "experiments": {"sjf_bco": {"lambda": "4", "readings": ["stated"]}}}
    assert typed(given, configuration()) == {
        "minutes": 5,
        "results": "7",
        "experiments": {"sjf_bco": {"lambda": 4, "readings": ["stated"]}},
    }
