"""Labels of set-ups and settings: a reader of the report finds out what each of them means."""

import yaml

from artifact.arena.settings import settings_of_choice
from artifact.papers.sjf_bco.cells import BATCH_SETUP
from artifact.papers.sjf_bco.choices import RUN_READINGS
from artifact.report.labels import explained
from artifact.run.settings import configuration
from rarlib.model.project import ROOT

SECTIONS = yaml.safe_load((ROOT / "workflow/report/report.yaml").read_text(encoding="utf-8"))["sections"]
TOLD = {section["category"].split(" (")[0]: section.get("labels", {}) for section in SECTIONS}


def test_a_label_a_part_of_one_and_a_reading():
    found = explained(["P2", "x-types/off/7", "odd"], ["two"], {"P2": "P", "two": "T", "x-types": "X", "off": "no"})
    assert found.hover == {"P2": "P", "x-types/off/7": "X; no", "two": "T"}
    assert found.spelled == {"P2": "P", "x-types": "X", "off": "no", "two": "T"}


def test_every_set_up_and_reading_of_sjf_bco_is_explained():
    assert explained([BATCH_SETUP], list(RUN_READINGS), TOLD["SJF-BCO"]).hover.keys() == {BATCH_SETUP, *RUN_READINGS}


def test_every_part_of_the_arenas_settings_is_explained():
    """All but the load, which is written `load = 0.9`."""
    for setting in settings_of_choice(configuration()["experiments"]["arena"]):
        parts = {setting.trace, setting.cluster, setting.contention, setting.restart, setting.error}
        assert parts <= TOLD["Arena"].keys()
