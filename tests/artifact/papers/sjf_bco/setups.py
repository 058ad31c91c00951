"""Set-ups of SJF-BCO's instances, for tests: choices of what the paper leaves open that differ in every respect."""

from artifact.papers.sjf_bco.instance import Setup

SETUPS = {
    "U15": Setup(None, "uniform", 0.0425, 0.01, 0.3, "none"),
    "R15": Setup(None, "product", 0.0425, 0.015, 0.3, "none"),
    "S200": Setup((185, 215), "rising", 0.0425, 0.01, 0.3, "none"),
    "P200": Setup((185, 215), "rising", 0.05, 0.06, 0.0, "stated"),
    "PNAT": Setup(None, "rising", 0.05, 0.06, 0.0, "stated"),
    "M15": Setup((205, 235), "top", 0.0425, 0.04, 0.3, "relative"),
}
