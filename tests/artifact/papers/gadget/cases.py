"""Settings of GADGET's instances, for tests: the paper's table, and one choice changed in each of the others."""

from artifact.papers.gadget.instance import GadgetSettings

_SMOOTH = (0.001, 0.01)
CASES = {
    "printed": GadgetSettings(),
    "iterations": GadgetSettings(iterations=True),
    "smooth": GadgetSettings(slope=_SMOOTH),
    "batch": GadgetSettings(arrivals="batch"),
    "slower-20": GadgetSettings(slower=20.0),
}
