"""The rows of Table 1: models, clusters, printed configurations.

Source: Narayanan et al., SOSP 2019, doi 10.1145/3341301.3359646, Table 1. Servers and the links between them are the
paper's; the bandwidth inside a server is not stated, and what is assumed for it is marked below.

Profiles are the authors' measurements of VGG-16, ResNet-50, AlexNet and GNMT-8, whose GPU they do not name (taken to be
a V100), and analytic ones of GNMT-16, AWD-LM and S2VT, computed for the GPU of the cluster they ran on, so that no time
is scaled from one GPU to another. Plans are made from unscaled profiles, as the authors did. Simulations use the
minibatch of their launch files (64 images of VGG-16, 64 sentences); times and activations are scaled in proportion.
"""

from typing import NamedTuple


class _Cluster(NamedTuple):
    """Servers of one kind.

    Attributes:
        gpus: per server.
        inside: bytes per second between the GPUs of a server.
        between: bytes per second between servers.
    """

    gpus: int
    inside: float
    between: float


A = _Cluster(gpus=4, inside=1e10, between=1.25e9)  # V100, PCIe (10 GB/s assumed), 10 Gbps
B = _Cluster(gpus=8, inside=2.5e10, between=3.125e9)  # V100, NVLink (25 GB/s assumed), 25 Gbps
C = _Cluster(gpus=1, inside=5e9, between=5e9)  # Titan X, one per server, 40 Gbps


class TableRow(NamedTuple):
    """A row of Table 1.

    Attributes:
        label: model, servers x GPUs and cluster, as in data/published.csv.
        profile: name in the profile set.
        cluster: its servers.
        printed: replicas of the stages of the printed configuration.
        launched: minibatch of the launch file over that of the profile; 1 where no launch file says otherwise.
        per_epoch: printed speed-up over data parallelism in the time of an epoch.
        to_accuracy: the same in the time to an accuracy; None: not printed.
    """

    label: str
    profile: str
    cluster: _Cluster
    servers: int
    printed: tuple[int, ...]
    launched: float = 1.0
    per_epoch: float = 1.0
    to_accuracy: float | None = None

    @property
    def workers(self) -> int:
        """GPUs in all."""
        return self.servers * self.cluster.gpus

    @property
    def machines(self) -> tuple[int, ...]:
        """Components per level, innermost first; levels of one component are left out."""
        return tuple(m for m in (self.cluster.gpus, self.servers) if m > 1)

    @property
    def bandwidth(self) -> tuple[float, ...]:
        """Bytes per second of each of these levels."""
        links = ((self.cluster.gpus, self.cluster.inside), (self.servers, self.cluster.between))
        return tuple(b for m, b in links if m > 1)


TABLE_1: dict[str, tuple[TableRow, ...]] = {
    "vgg-16": (
        TableRow("VGG-16 4x4 A", "pipedream-vgg16", A, 4, (15, 1), launched=0.5, per_epoch=5.28, to_accuracy=5.3),
        TableRow("VGG-16 2x8 B", "pipedream-vgg16", B, 2, (15, 1), launched=0.5, per_epoch=3.0, to_accuracy=2.5),
    ),
    "resnet-50": (
        TableRow("ResNet-50 4x4 A", "pipedream-resnet50", A, 4, (16,), per_epoch=1, to_accuracy=1),
        TableRow("ResNet-50 2x8 B", "pipedream-resnet50", B, 2, (16,), per_epoch=1, to_accuracy=1),
    ),
    "alexnet": (
        TableRow("AlexNet 4x4 A", "pipedream-alexnet", A, 4, (15, 1), per_epoch=4.92),
        TableRow("AlexNet 2x8 B", "pipedream-alexnet", B, 2, (15, 1), per_epoch=2.0),
    ),
    "gnmt-16": (
        TableRow("GNMT-16 1x4 A", "gnmt_large", A, 1, (1,) * 4, launched=0.5, per_epoch=1.5, to_accuracy=2.2),
        TableRow("GNMT-16 4x4 A", "gnmt_large", A, 4, (1,) * 16, launched=0.5, per_epoch=2.3, to_accuracy=2.9),
        TableRow("GNMT-16 2x8 B", "gnmt_large", B, 2, (1,) * 16, launched=0.5, per_epoch=3.1, to_accuracy=3.1),
    ),
    "gnmt-8": (
        TableRow("GNMT-8 1x4 A", "pipedream-gnmt", A, 1, (1,) * 4, launched=2.0, per_epoch=1.5, to_accuracy=1.5),
        TableRow("GNMT-8 3x4 A", "pipedream-gnmt", A, 3, (1,) * 12, launched=2.0, per_epoch=3.0, to_accuracy=3.0),
        TableRow("GNMT-8 2x8 B", "pipedream-gnmt", B, 2, (16,), launched=2.0, per_epoch=1, to_accuracy=1),
    ),
    "awd-lm": (TableRow("AWD-LM 1x4 A", "awd-lm-6", A, 1, (1,) * 4, per_epoch=4.25, to_accuracy=4.3),),
    "s2vt": (TableRow("S2VT 4x1 C", "s2vt", C, 4, (2, 1, 1), per_epoch=3.01, to_accuracy=3.0),),
}
"""Model -> its rows."""

SCHEDULE_ROWS: dict[str, tuple[TableRow, ...]] = {
    "vgg-16": (TableRow("VGG-16 1x4 A", "pipedream-vgg16", A, 1, (3, 1), launched=0.5),),
    "alexnet": (TableRow("AlexNet 1x4 A", "pipedream-alexnet", A, 1, (3, 1)),),
    **{name: TABLE_1[name] for name in ("gnmt-16", "gnmt-8", "awd-lm", "s2vt")},
}
"""Model -> rows on which schedules are compared: 4 GPUs, and for GNMT also the larger clusters of Table 1. 3-1 is the
configuration that the authors ship for 4 GPUs."""
