"""The applications that were measured, and the GPU types they were measured on.

Source: Jayaram Subramanya, Arfeen, Lin, Qiao, Jia, Ganger, "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
scheduling", SOSP 2023, doi 10.1145/3600006.3613175, and its artifact (siasosp23/artifacts): profiles, the two lists of
restart times, and the factors by which jobs ran slower on the authors' testbed than their profiles say.
"""

from collections.abc import Mapping
from typing import NamedTuple

from rarlib.model.errors import InputError


class Application(NamedTuple):
    """One model with its data set."""

    name: str  # as workload files call it
    model: str  # the model and data set that are trained
    epochs: int  # passes over the data until it is done
    restart_s: float  # seconds from a start, or a restart, to the first iteration
    believed_restart_s: float  # the same as Sia assumes it
    slowdown: float  # measured iterations take this many times longer in a shared cluster
    # GPU type -> most samples per GPU that Sia's estimates consider, where that is less than measured
    largest_local: Mapping[str, int] = {}
    # GPU type -> GPUs of one pipeline, for a pipeline-parallel model; empty for a data-parallel one
    stages: Mapping[str, int] = {}
    microbatches: int = 1  # samples per pipeline and iteration, one at a time


class SharedCluster(NamedTuple):
    """What running in a shared cluster adds to an application's profile."""

    slowed: bool = True  # whether iterations take the application's `slowdown` times longer than the profile says
    # seconds of every start, true and believed, whatever the application; None: those of the application
    restart_s: float | None = None

    def within(self, app: Application) -> Application:
        """The application as it runs here."""
        slowdown = app.slowdown if self.slowed else 1.0
        if self.restart_s is None:
            return app._replace(slowdown=slowdown)
        return app._replace(slowdown=slowdown, restart_s=self.restart_s, believed_restart_s=self.restart_s)


AS_IN_SIA = SharedCluster()
"""What Sia's authors measured on their testbed."""

APPLICATIONS = {
    each.name: each
    for each in (
        Application("cifar10", "ResNet18 on CIFAR-10", 100, 50.0, 30.0, 1.8),
        Application("bert", "BERT on SQuAD", 2, 120.0, 120.0, 1.2),
        Application("deepspeech2", "DeepSpeech2 on CMU-ARCTIC", 80, 25.0, 25.0, 1.2, {"rtx": 57}),
        Application("yolov3", "YOLOv3 on PASCAL-VOC", 50, 80.0, 45.0, 1.2),
        Application("imagenet", "ResNet50 on ImageNet", 90, 250.0, 250.0, 1.2),
        Application("ncf", "NeuMF on MovieLens", 10, 15.0, 30.0, 1.5),
        Application(
            "gpt_pmp",
            "2.8 billion parameter GPT, pipeline-parallel",
            2,
            30.0,
            30.0,
            1.0,
            stages={"rtx": 8, "a100": 2},
            microbatches=48,
        ),
    )
}
"""All applications, by name."""

TYPES = {"t4": "aws", "rtx": "rtx", "a100": "dgx-ext", "quad": "quad", "azure": "azure"}
"""GPU type of a cluster specification -> part of the profiles' file names (Sia's name of the type).

t4: T4, 4 per node; rtx: RTX 2080Ti, 8; a100: A100 with 40 GB, 8; quad: Quadro RTX 6000, 4; azure: V100, 8.
"""

_ALIASES = {theirs: ours for ours, theirs in TYPES.items()} | {"2080ti": "rtx", "rtx6000": "quad", "v100": "azure"}


def application(name: str, job: object = None) -> Application:
    """The application of that name; `job` names it in the error.

    Raises:
        InputError: the application was never measured.
    """
    if name not in APPLICATIONS:
        whose = "" if job is None else f"job {job}: "
        known = ", ".join(APPLICATIONS)
        rule = f"{whose}application {name!r} has no profile; known: {known}; --applications sia assigns one by GPU time"
        raise InputError(rule, field="application")
    return APPLICATIONS[name]


def gpu_type(name: str) -> str:
    """Our name of a GPU type, for one of ours or Sia's.

    Raises:
        InputError: the type was never measured.
    """
    ours = _ALIASES.get(name.lower(), name.lower())
    if ours not in TYPES:
        raise InputError(f"GPU type {name!r} has no profile; known: {', '.join(TYPES)}", field="type")
    return ours
