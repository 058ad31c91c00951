"""Themis as Sia's authors run it: Gavel's finish-time fairness and round mechanism.

Source: Mahajan, Balasubramanian, Singhvi, Venkataraman, Akella, Phanishayee, Chawla, "Themis: Fair and Efficient GPU
Cluster Scheduling", NSDI 2020. Its auctions are not modelled: the largest ratio of finish times is minimised directly.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from rarlib.model.settings import OneOf
from rarlib.schedulers.gavel import FAIR, GAVEL_POLICIES, Gavel


@dataclass
class Themis(Gavel):
    """Minimises the largest ratio of a job's finish time to its finish time on 1/n of the cluster."""

    name: ClassVar[str] = "themis"
    label: ClassVar[str] = "Themis"
    paper: ClassVar[str] = "themis"
    one_type: ClassVar[str] = "requested"

    policy: Annotated[str, OneOf(*GAVEL_POLICIES)] = FAIR
