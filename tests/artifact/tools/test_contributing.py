"""What a contributor is asked for: forms that GitHub accepts."""

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FORMS = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
KINDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_is_one_that_github_shows(path: Path) -> None:
    """GitHub silently offers no form when a key is missing or an id occurs twice."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"] and form["description"] and form["body"]
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert {field["type"] for field in form["body"]} <= KINDS
    assert all(field["attributes"]["label"] for field in form["body"])
    assert all(field["attributes"]["options"] for field in form["body"] if field["type"] == "dropdown")
    assert any(field.get("validations", {}).get("required") for field in form["body"])
