"""What GADGET's evaluation leaves open, as arguments of its instances, networks and policies.

A reading gives a value to each of `UNKNOWNS`, by name; docs/readings.md says how the fitted one was chosen.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from artifact.papers.gadget.instance import GadgetSettings, fig4_network, fig5_network, fig6_network
from artifact.unknowns import STATED_READING, readings_of, value_of_each
from rarlib.model.tree_network import TreeNetwork

UNKNOWNS, GADGET_READINGS = readings_of("gadget")
GADGET_STATED = GADGET_READINGS[STATED_READING]

POLICIES = ("gadget", "fifo", "drf", "las")


def chosen_values(reading: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each unknown: those of a reading, replaced by `arrivals` and `slower` of the settings."""
    return value_of_each(GADGET_READINGS, reading, {name: settings.get(name) for name in ("arrivals", "slower")})


def settings_in(values: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> GadgetSettings:
    """The table of settings under a value for each unknown.

    `settings`: those of `instance.SETTINGS`, where a configuration has others than the paper; a range of lambda2
    replaces the slope.
    """
    given = GadgetSettings.of(settings or {})
    slope = given.slope if (settings or {}).get("lambda2") is not None else (0.0, float(values["slope"]))
    return replace(
        given,
        iterations=values["budget"] == "iterations",
        slope=slope,
        capped=bool(values["capped"]),
        arrivals=values["arrivals"],
        slower=float(values["slower"]),
    )


def network_in(values: Mapping[str, Any], where: str, seed: int, factor: float, servers: int) -> TreeNetwork:
    """The network of a figure.

    `where`: fig5 and fig6 vary it by `factor`; the others have that of Fig. 4. `factor`: of the node or edge resource.
    """
    if where == "fig5":
        return fig5_network(seed, factor, values["sizes"], servers)
    if where == "fig6":
        gpus = None if values["edge GPUs"] == "drawn" else int(values["edge GPUs"])
        return fig6_network(seed, factor, values["edge unit"], gpus, values["sizes"], servers)
    return fig4_network(seed, servers)


def policy_options(policy: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a policy: of `Stated` for GADGET, of the scheduler for the others."""
    if policy == "gadget":
        return {"optimum": values["optimum"], "least_gain": float(values["least gain"])}
    return {"holds": True} if values.get(f"{policy} holds", False) else {}
