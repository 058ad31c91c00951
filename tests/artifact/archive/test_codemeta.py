"""codemeta.json uses properties of CodeMeta 3.0 only, each with values of a kind that CodeMeta allows.

The table is the part of CodeMeta's own (`properties_description.csv` and `codemeta.jsonld` of the codemeta project)
that concerns software, people, packages and papers. A property that is not in it, or whose value is of another kind,
is what CodeMeta's validator refuses, too.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
_CONTEXT = "https://w3id.org/codemeta/3.0"
_THING = {"name": "Text", "description": "Text", "identifier": "PropertyValue URL", "url": "URL", "sameAs": "URL"}
_WORK = _THING | {
    "author": "Organization Person", "contributor": "Organization Person", "citation": "CreativeWork URL",
    "copyrightHolder": "Organization Person", "copyrightYear": "Number", "dateCreated": "Date", "dateModified": "Date",
    "datePublished": "Date", "funder": "Organization Person", "keywords": "Text", "license": "CreativeWork URL",
    "publisher": "Organization Person", "version": "Number Text", "isPartOf": "CreativeWork", "hasPart": "CreativeWork",
}  # fmt: skip
_PROPERTIES = {
    "SoftwareSourceCode": _WORK
    | {
        "codeRepository": "URL", "programmingLanguage": "ComputerLanguage Text", "runtimePlatform": "Text",
        "operatingSystem": "Text", "applicationCategory": "Text URL", "downloadUrl": "URL", "installUrl": "URL",
        "memoryRequirements": "Text URL", "processorRequirements": "Text", "storageRequirements": "Text URL",
        "releaseNotes": "Text URL", "softwareHelp": "CreativeWork", "softwareRequirements": "SoftwareSourceCode",
        "softwareVersion": "Text", "softwareSuggestions": "SoftwareSourceCode", "maintainer": "Person",
        "continuousIntegration": "URL", "buildInstructions": "URL", "developmentStatus": "Text",
        "funding": "Text", "issueTracker": "URL", "referencePublication": "ScholarlyArticle", "readme": "URL",
    },
    "ScholarlyArticle": _WORK,
    "Organization": _THING | {"email": "Text"},
    "Person": _THING | {"givenName": "Text", "familyName": "Text", "email": "Text", "affiliation": "Organization"},
    "ComputerLanguage": _THING | {"version": "Number Text"},
}  # fmt: skip
_IRI = re.compile(r"https?://[^\s]+|swh:1:[a-z]{3}:[0-9a-f]{40}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def faults(entity: dict[str, Any], where: str = "codemeta") -> list[str]:
    """What CodeMeta does not allow in an entity and those below it."""
    kind = entity.get("type")
    if kind not in _PROPERTIES:
        return [f"{where}: {kind} is no type of CodeMeta"]
    found = [] if _IRI.fullmatch(entity.get("id", "https://id")) else [f"{where}.id: no IRI"]
    for name, value in entity.items():
        if name in ("type", "id", "@context"):
            continue
        allowed = _PROPERTIES[kind].get(name, "").split()
        if not allowed:
            found.append(f"{where}.{name}: no property of {kind}")
        for each in value if isinstance(value, list) else [value]:
            if allowed and not set(_kinds(each)) & set(allowed):
                found.append(f"{where}.{name}: {each!r} is none of {', '.join(allowed)}")
            if isinstance(each, dict):
                found += faults(each, f"{where}.{name}")
    return found


def _kinds(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [str(value.get("type"))]
    if isinstance(value, int | float):
        return ["Number"]
    return ["Text", *(["URL"] if _IRI.fullmatch(value) else []), *(["Date"] if _DATE.fullmatch(value) else [])]


@pytest.fixture
def content() -> dict[str, Any]:
    return json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))


def test_codemeta_is_valid(content):
    assert content["@context"] == _CONTEXT
    assert faults(content) == []
    assert {"name", "author", "license", "version", "softwareRequirements"} <= content.keys()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("softwareRequirements", "requirements.lock"),
        ("readme", "README.md"),
        ("licence", "https://spdx.org/licenses/MIT"),
        ("author", "somebody"),
        ("author", [{"type": "Group", "name": "somebody"}]),
        ("referencePublication", [{"type": "ScholarlyArticle", "id": "no address"}]),
        ("type", "Program"),
    ],
)
def test_what_is_not_codemeta_is_refused(content, name, value):
    """Each of these breaks one rule."""
    assert faults(copy.deepcopy(content) | {name: value})


def test_packages_are_those_of_the_lock(content):
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert len(content["softwareRequirements"]) > 10
    for package in content["softwareRequirements"]:
        assert re.search(rf"^{package['name'].lower()}=={re.escape(package['version'])}\b", lock, re.MULTILINE)
