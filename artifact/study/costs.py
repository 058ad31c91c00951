"""The entry `costs` of a study: cost models by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artifact.study.entries import in_field, names_in, require_known
from rarlib.cost.goodput.assigned import ASSIGNMENT
from rarlib.cost.named import cost_model_names, make_cost_model
from rarlib.model.errors import InputError, require_keys


def study_costs(table: Mapping[str, Any], file: Path) -> dict[str, dict[str, Any]]:
    """The cost models of a study by name, each made once to check it; without the entry, recorded durations."""
    found: dict[str, dict[str, Any]] = {}
    for name, each in (
        names_in(table, "costs", file) if "costs" in table else {"recorded": {"model": "trace"}}
    ).items():
        require_keys(each, ("model", "contention", "applications"), file, f"costs.{name}")
        rule = each.get("applications")
        model, contention = each.get("model", "trace" if rule is None else "goodput"), each.get("contention")
        if rule not in (None, ASSIGNMENT) or (rule is not None and model != "goodput"):
            raise InputError(
                f"must be {ASSIGNMENT}, under the model goodput", file=file, field=f"costs.{name}.applications"
            )
        require_known(model, cost_model_names(), "cost model", file, f"costs.{name}")
        if not isinstance(contention, str | dict | None):
            rule = "must be a mapping from constants, or text such as alpha=0.3"
            raise InputError(rule, file=file, field=f"costs.{name}.contention")
        found[name] = {"model": model, "contention": contention} | ({"applications": rule} if rule else {})
        in_field(lambda given=found[name]: make_cost_model(given["model"], given["contention"]), file, f"costs.{name}")
    return found
