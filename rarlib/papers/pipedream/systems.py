"""What Table 1 and section 5 leave open about the machines and the software: the systems that are tried, by name.

The paper names GPUs and the nominal rate between servers. It does not say what share of that rate was reached, what the
rate inside a server was, whether data parallelism hid its exchange behind the backward pass, or how many samples a
minibatch of AWD-LM and S2VT has. The names are the values of column `x` where `x_name` is `system`:

| name | system |
|---|---|
| `nominal` | the headline: the rules of `placed.py` at the nominal rates, unless the configuration says otherwise |
| `links-S` | all links reach the share S of their rate |
| `inside-S` | those inside a server do, the others all of theirs |
| `measured-total` | GNMT-16 at the total time of the authors' own profile |
| `quarter-...` | AWD-LM and S2VT with a quarter of the samples: their 80 are those of all four workers |
| `exposed-...` | the same, and data parallelism exchanges its gradients after the backward pass |
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rarlib.papers.pipedream.placed import NOMINAL, System
from rarlib.papers.pipedream.setups import TableRow
from rarlib.pipeline.planner import Options

CODED = Options(variant="as-coded", compression=1.0)
"""The authors' program as its README calls it: transfers between stages are counted."""
DEFAULT_BANDWIDTH = 1e9
"""Bytes per second that the authors' program assumes unless told otherwise."""


class HeadlineSystem(NamedTuple):
    """What a configuration states about the machines and the software.

    Attributes:
        system: what is reached of the nominal rates, and the rules of `placed.py`.
        default_rate: bytes per second that the authors' program assumes between all GPUs.
        memory: bytes of a GPU, which limit GPipe's flushes.
        inside: bytes per second inside a server, by cluster; a cluster that is left out keeps that of `setups.py`.
        between: the same between servers.
    """

    system: System = NOMINAL
    default_rate: float = DEFAULT_BANDWIDTH
    memory: float = 16e9
    inside: Mapping[str, float] = {}
    between: Mapping[str, float] = {}

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "HeadlineSystem":
        """What the settings of a table state; what they leave out is as in the paper."""
        share = float(settings.get("reached", 1.0))
        system = System(
            between=share,
            inside=share,
            overlap=bool(settings.get("overlap", True)),
            one_ring=bool(settings.get("one_ring", False)),
            latency_s=float(settings.get("latency_s", 0.0)),
        )
        given = {key: settings[key] for key in ("default_rate", "inside", "between") if key in settings}
        return cls(system, memory=float(settings.get("memory_bytes", 16e9)), **given)

    def rated(self, row: TableRow) -> TableRow:
        """A row with these link rates; the last letter of its label is its cluster."""
        name, cluster = row.label[-1], row.cluster
        inside, between = self.inside.get(name, cluster.inside), self.between.get(name, cluster.between)
        return row._replace(cluster=cluster._replace(inside=float(inside), between=float(between)))


REACHED = (0.75, 0.6, 0.45, 0.3, 0.15, 0.1)
"""Shares of a link's rate that are tried."""

AUTHORS_GNMT_16_S = 0.1826 + 0.3379
"""Seconds of a minibatch of GNMT-16, forward and backward, in the profile that the authors ship (not at hand here)."""

SMALL = ("awd-lm-6", "s2vt")
"""Profiles of 80 samples whose minibatch the paper does not state."""


def systems(row: TableRow, compute_s: float, headline: System = NOMINAL) -> dict[str, System]:
    """The systems that are tried for a row of Table 1.

    Args:
        row: of the table.
        compute_s: seconds of a minibatch of its profile on one GPU.
        headline: what the others differ from.
    """
    tried = {"nominal": headline}
    tried |= {f"links-{share:g}": headline._replace(between=share, inside=share) for share in REACHED}
    if row.cluster.gpus > 1:
        tried |= {f"inside-{share:g}": headline._replace(inside=share) for share in (0.5, 0.25, 0.125)}
    if row.profile == "gnmt_large":
        tried["measured-total"] = headline._replace(speed=compute_s / AUTHORS_GNMT_16_S)
    if row.profile in SMALL:
        tried |= {f"quarter-{name}": system._replace(minibatch=0.25) for name, system in tried.items()}
    return tried | {f"exposed-{name}": system._replace(overlap=False) for name, system in tried.items()}
