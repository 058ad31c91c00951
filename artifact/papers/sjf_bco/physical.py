"""Eq. 8 of SJF-BCO with real models and links: how long an iteration takes, and how much of it is communication.

The evaluation of the paper states ranges of a normalised iteration time (section 7) and none of eq. 8's constants. Here
they are those of published models on V100 GPUs. A ring lies on as few servers as can be, but on two at least, so that
it always uses the links; every worker has its own batch.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rarlib.cost.ring import PhysicalRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import iteration_s
from rarlib.plot.frames import pick
from rarlib.records.tidy import tidy


class RealModel(NamedTuple):
    """A model as eq. 8 sees it.

    Attributes:
        parameters: trained numbers, each exchanged in 4 bytes.
        forward_flop: floating-point operations of one sample's forward pass; the backward pass takes twice as many.
        batch: samples per worker.
    """

    parameters: float
    forward_flop: float
    batch: int


REAL_MODELS = {
    # He et al., CVPR 2016, table 1 (3.8e9 multiply-adds; 4.09e9 and 25.6 million parameters in torchvision's version).
    "ResNet-50": RealModel(25.6e6, 2 * 4.09e9, 32),
    # Simonyan and Zisserman, ICLR 2015, table 2 (138 million); torchvision lists 15.47e9 multiply-adds.
    "VGG-16": RealModel(138.4e6, 2 * 15.47e9, 32),
    # Devlin et al., NAACL 2019, section 3: 110 and 340 million; 128 tokens, as in most of its pre-training.
    "BERT-base": RealModel(110e6, 2 * 110e6 * 128, 32),
    "BERT-large": RealModel(340e6, 2 * 340e6 * 128, 16),
    # Radford et al., 2019, table 2: 1542 million, 1024 tokens.
    "GPT-2": RealModel(1542e6, 2 * 1542e6 * 1024, 1),
}
"""Transformers take 2 operations per parameter and token in the forward pass (Kaplan et al., arXiv:2001.08361, 2.1)."""


class Ring(NamedTuple):
    """What is assumed about rings and servers; the headline's values are in config/config.yaml.

    Attributes:
        alpha: loss per further job on a link.
        xi: share of a server's spanning jobs that contend.
        server_gpus: GPUs of a server.
        peak_share: share of the GPU's peak rate that computation reaches.
        overhead_s: xi2, seconds per server.
    """

    alpha: float
    xi: float
    server_gpus: int
    peak_share: float
    overhead_s: float

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Ring":
        """The fields of these names in the settings of the table."""
        return cls(*(settings[name] for name in cls._fields))

    @property
    def flops(self) -> float:
        """Operations per second of a GPU."""
        return self.peak_share * _PEAK


_PEAK = 15.7e12
"""A V100's TFLOPS in single precision (NVIDIA's data sheet, SXM2)."""
_NVLINK = 150e9
"""Bytes per second and direction of a V100's NVLink (300 GB/s both ways, data sheet)."""
_REDUCE = 300e9
"""Bytes per second added up: a third of the 900 GB/s of memory, for two reads and a write (data sheet)."""


def passes_s(model: RealModel, ring: Ring) -> float:
    """Seconds of the forward and backward passes of one worker's batch."""
    return 3.0 * model.forward_flop * model.batch / ring.flops


def eq8_iteration_s(model: RealModel, workers: int, sharers: int, gbps: float, ring: Ring) -> float:
    """Seconds of one iteration by eq. 8.

    `workers`: ring size w, on two servers at least; `sharers`: p, jobs that share the busiest server's link, this one
    included; `gbps`: link of a server, Gbit/s.
    """
    cost = PhysicalRingCost(
        iterations=np.ones(1),
        gradient=4.0 * model.parameters,
        batch=model.batch,
        forward_s=model.forward_flop / ring.flops,
        backward_s=2.0 * model.forward_flop * model.batch / ring.flops,
        between=gbps * 1e9 / 8.0,
        within=_NVLINK,
        reduce=_REDUCE,
        overhead_s=ring.overhead_s,
        alpha=ring.alpha,
        xi=ring.xi,
    )
    servers = max(2, -(-workers // ring.server_gpus))
    jobs = Jobs.build(submit_s=np.zeros(1), gpus=np.array([workers]), duration_s=np.ones(1))
    prices = cost.price(jobs, Cluster.of(np.full(servers, ring.server_gpus)))
    return float(iteration_s(prices, 0, servers, sharers))


def eq8_rows(member: str, settings: Mapping[str, Any]) -> pd.DataFrame:
    """Tidy rows: the model is the set-up, the link the reading; metrics are named by the number p of sharing jobs.

    `iteration:p` is in seconds, `lost:p` the share of the iteration that is communication and overhead.

    `member`: of the table; `settings`: `gbps`, `workers`, `sharers` (lists), and the fields of `Ring`.

    Raises:
        InputError: more jobs on a link than a server has GPUs.
    """
    if max(settings["sharers"]) > settings["server_gpus"]:
        raise InputError("no more jobs can share a link than a server has GPUs", field="sharers")
    return tidy(_rows(settings), "sjf-bco-eq8", member)


def _rows(settings: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    ring = Ring.of(settings)
    for (name, model), gbps in product(REAL_MODELS.items(), settings["gbps"]):
        for workers, sharers in product(settings["workers"], settings["sharers"]):
            taken = eq8_iteration_s(model, workers, sharers, gbps, ring)
            at = (name, f"{gbps:g} Gbit/s", "workers", workers, 0)
            yield (*at, f"iteration:{sharers}", taken, "s")
            yield (*at, f"lost:{sharers}", 1.0 - passes_s(model, ring) / taken, "1")


def share_in_one_slot(frame: pd.DataFrame, low: float = 0.01, high: float = 0.05) -> float:
    """Largest share of iteration times that one length of a slot can bring into section 7's range of tau.

    `frame`: rows of this table; `low`: least iteration time, slots; `high`: largest iteration time, slots.
    """
    times = np.sort(frame.loc[frame["metric"].str.startswith("iteration:"), "value"].to_numpy(dtype=float))
    inside = np.searchsorted(times, times * (high / low) * (1.0 + 1e-12), "right") - np.arange(len(times))
    return float(inside.max() / len(times))


def ring_models(ring: Ring) -> pd.DataFrame:
    """The models of the table: what they exchange and how long they compute."""
    rows = [
        (name, m.parameters / 1e6, 4 * m.parameters / 1e6, m.batch, passes_s(m, ring))
        for name, m in REAL_MODELS.items()
    ]
    columns = ["model", "parameters (million)", "gradient (MB)", "batch per worker", "computation (s)"]
    return pd.DataFrame(rows, columns=columns).set_index("model")


def summary(frame: pd.DataFrame, limit: float) -> str:
    """Where contention lives, as a list in Markdown: rings within a limit, and times that fit into one slot.

    `frame`: rows of this table; `limit`: stated limit of the share of contention and overhead.
    """
    lost = frame[frame["metric"].str.startswith("lost:")]
    times = frame[frame["metric"].str.startswith("iteration:")]
    sharers = [int(metric.partition(":")[2]) for metric in dict.fromkeys(lost["metric"])]
    lines = []
    for link, part in lost.groupby("reading", sort=False):
        said = []
        for p in (min(sharers), max(sharers)):
            share = pick(part, metric=f"lost:{p}")["value"]
            within = f"{(share <= limit).sum()} of {len(share)} rings keep to the stated {limit:.0%}"
            said.append(f"with {p} on the link, {within} (median {share.median():.0%})")
        fit = share_in_one_slot(pick(times, reading=link, metric=f"iteration:{min(sharers)}"))
        lines.append(f"* {link}: {'; '.join(said)}. Of the former, {fit:.0%} of the times fit into one slot.")
    spread = times["value"].max() / times["value"].min()
    lines.append(
        f"* Section 7's range of tau spans a factor of 5, all times of this table a factor of {spread:.0f}: "
        f"no length of a slot brings more than {share_in_one_slot(times):.0%} of them into 0.01 to 0.05 slot."
    )
    return "\n".join(lines)
