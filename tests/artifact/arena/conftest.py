"""Inputs of the arena on a machine that has nothing but the project: stand-ins throughout."""

import json

import pytest

from artifact.arena.inputs import ArenaInputs, profile_set
from rarlib.traces.profile_sets import ProfileSet
from tests.bare import bare_machine

PROFILES = [f"sia-profile-{name}" for name in ("cifar10", "bert", "deepspeech2", "yolov3", "imagenet", "ncf")]
SOURCES = [*PROFILES, "philly-pollux", "sia-philly-2", "sia-philly-4", "pollux-2", "aiturbo"]
SETTINGS = {"sources": SOURCES, "seeds": 2, "jobs": 40}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> ProfileSet:
    """What the pipeline writes there."""
    with bare_machine(tmp_path_factory.mktemp("machine") / "data"):
        return profile_set("arena", SETTINGS)


@pytest.fixture(scope="session")
def arena(made: ProfileSet, tmp_path_factory: pytest.TempPathFactory) -> ArenaInputs:
    """The set, written and read again."""
    path = tmp_path_factory.mktemp("set") / "arena.json"
    path.write_text(json.dumps(made.data))
    return ArenaInputs.read(path)
