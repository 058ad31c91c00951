"""Parameters of the schedulers in SJF-BCO's evaluation: the headline's, which are settings, and other readings.

Settings that all functions take: `tau_hat` (estimated iteration time, slots), `lambda`, `bisection`, `fa_ffp` (see
`rarlib.schedulers.sjf_bco`). The headline's values are in config/config.yaml.
"""

from collections.abc import Mapping
from typing import Any

_Readings = dict[str, dict[str, Any]]


def sjf_bco(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The headline's parameters of SJF-BCO."""
    return {name: settings[name] for name in ("tau_hat", "lambda", "bisection", "fa_ffp")}


def compared_readings(scheduler: str, settings: Mapping[str, Any]) -> _Readings:
    """Readings of a scheduler in Figures 4 and 6 (of SJF-BCO also in Fig. 5); others run with their defaults.

    lambda-8: Figures 5 and 7 contradict each other at kappa = 1 unless Figures 4 and 5 used a large lambda.
    one-server: Alg. 2 packs to avoid fragments, so a small gang waits for one server with space for it.
    random: RAND waits for an exit and draws again. The paper prints 1128 slots under T = 1200 and T = 1500 alike, but a
    RAND that queues fills whatever T it gets.
    """
    estimate = {"tau_hat": settings["tau_hat"]}
    if scheduler == "sjf-bco":
        own = sjf_bco(settings)
        return {"headline": own, "lambda-8": {**own, "lambda": 8}, "one-server": {**own, "fa_ffp": "one-server"}}
    if scheduler == "list-scheduling":
        return {"headline": estimate, "rank-finish": {**estimate, "rank": "finish"}}
    if scheduler == "first-fit":
        return {
            "headline": estimate,
            "random-order": {**estimate, "order": "submission"},
            "bisection": {**estimate, "search_by": "bisect"},
        }
    if scheduler == "random":
        return {
            "headline": {"availability": "idle"},
            "random-order": {"availability": "idle", "order": "submission"},
            "queue": {"availability": "queue"},
        }
    return {"headline": {}}


def alternatives(scheduler: str, settings: Mapping[str, Any]) -> _Readings:
    """Other readings of the paper, run for the calibration in the headline's set-up."""
    estimate = {"tau_hat": settings["tau_hat"]}
    own = sjf_bco(settings)
    known: dict[str, _Readings] = {
        "sjf-bco": {
            "per-kappa": {**own, "bisection": "per-kappa"},
            "all-limits": {**own, "bisection": "all"},
            "fa-ffp-literal": {**own, "fa_ffp": "literal"},
            "fa-ffp-first": {**own, "fa_ffp": "first"},
            "limit-finish": {**own, "limit": "finish"},
            "queue": {**own, "availability": "queue"},
        },
        "list-scheduling": {"idle": {**estimate, "availability": "idle"}},
        "first-fit": {
            "idle": {**estimate, "availability": "idle"},
            "limit-busy": {**estimate, "limit": "busy"},
        },
    }
    return known.get(scheduler, {})


BUSY_LIMIT: dict[str, Any] = {"limit": "busy"}
"""FF as its description says, in Fig. 4: a limit on accumulated time, estimated by each job's own tau^u (section 5)."""
