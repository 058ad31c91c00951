"""Random instances for every cost model, and every scheduler that is found, with what each of them can run."""

import os
from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from rarlib.allocate.rings import RESERVED
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.linked import cluster_shape, on_fabric
from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.cost.ring import PhysicalRingCost, RingCost, SlottedRingCost
from rarlib.cost.trace import ReservedCost, TraceCost
from rarlib.discovery import make_scheduler, scheduler_class, schedulers
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.settings import Within, rules
from rarlib.simulator.engine import simulate

LONG = int(os.environ.get("RARLIB_EXAMPLES", "0"))
"""Examples of each property in a long search with new examples every time; 0: the few that are always the same."""

NAMES = sorted(schedulers())
BRIEF = {"pollux": {"population": 6, "generations": 4}, "best-known": {"effort": 50}}
"""Parameters with which a search takes milliseconds."""

RESERVING = {"gadget": {"gbps": 2.5}, "las": {"slot_s": 60.0}}
"""Further parameters where bandwidth is reserved; GADGET reserves as much as rings need here."""

PRICED = ("trace", "ring", "reserved")
"""Cost models of recorded durations: multiplied by k, they are those of the same jobs in another unit of time."""

LINKED = ("linked",)
"""The same where jobs share the links of a fabric."""

SLOTTED = ("ring-slotted", "ring-physical")
TRAINED = ("goodput", "parameter-server")
NEEDS = {
    "sia": {"goodput"},
    "concert": {"goodput"},
    "aiturbo": set(TRAINED),
    "best-known": {*PRICED, *SLOTTED, *TRAINED},
    **{name: {*PRICED, *LINKED, *SLOTTED, "goodput"} for name in ("gavel", "themis", "shockwave")},
}
"""Cost models that answer what a scheduler needs (docs/architecture.md, "What a scheduler may ask"); else: all."""


def runs_under(name: str, kind: str) -> bool:
    """Whether a scheduler can be asked to run under a cost model."""
    if kind == "reserved":
        return "gbps" in RESERVING.get(name, {}) or places_by_bandwidth(name)
    if kind == "parameter-server":
        return bool(getattr(scheduler_class(name), "uses_cpu", False))
    return kind in NEEDS.get(name, {*PRICED, *LINKED, *SLOTTED, *TRAINED})


def places_by_bandwidth(name: str) -> bool:
    """Whether a scheduler has the placement rule that keeps to reserved bandwidth."""
    return RESERVED in getattr(rules(scheduler_class(name)).get("placement"), "words", ())


def kinds_for(name: str, *kinds: str) -> tuple[str, ...]:
    """Those of the cost models under which a scheduler runs."""
    return tuple(kind for kind in kinds if runs_under(name, kind))


def bounded(examples: int) -> Any:
    """So many examples, or those of a long search."""
    if LONG:
        return settings(max_examples=LONG, derandomize=False, database=None, deadline=None, print_blob=True)
    return settings(max_examples=examples, derandomize=True, database=None, deadline=None)


class Instance(NamedTuple):
    """Jobs, a cluster, and the options of a run, before any unit of time is chosen."""

    kind: str
    columns: dict[str, Any]
    cluster: Cluster
    knobs: dict[str, float]
    restart_s: float | None
    quantum: float
    whole_slots: bool
    own: Any = None

    def cost(self) -> Any:
        """A fresh cost model."""
        n = len(self.columns["gpus"])
        makers = {
            "trace": TraceCost,
            "ring": lambda: RingCost(**self.knobs),
            "linked": self._linked,
            "reserved": lambda: ReservedCost(np.full(n, 2.5)),
            "ring-slotted": lambda: SlottedRingCost(
                np.maximum(np.ceil(self.columns["duration_s"]), 1.0) * 20, np.full(n, 0.03), 0.1, cap=0.09, alpha=0.3
            ),
            "ring-physical": lambda: PhysicalRingCost(
                np.maximum(np.ceil(self.columns["duration_s"]), 1.0), 1.0, 4.0, 0.1, 0.2, 5.0, 50.0, 20.0, 0.01
            ),
            "goodput": lambda: GoodputCost(network=SpanningNetwork() if self.knobs["share"] else None, recorded=True),
            "parameter-server": lambda: ParameterServerCost(self.own, False),
        }
        return makers[self.kind]()

    def _linked(self) -> Any:
        shape = cluster_shape(self.cluster)
        return on_fabric(RingCost(**self.knobs), shape, self.knobs["alpha"])

    def jobs(self, k: float = 1.0, **changed: Any) -> Jobs:
        """The job table, all times multiplied by k."""
        if self.own is not None:
            return self.own.table(self.columns["submit_s"])
        columns = {**self.columns, **changed}
        return Jobs.build(**{c: v * k if c in ("submit_s", "duration_s") else v for c, v in columns.items()})

    def run(self, name: str, *, k: float = 1.0, jobs: Any = None, cluster: Any = None, cost: Any = None) -> Any:
        """The run of a scheduler; all times of the input and of its parameters are multiplied by k."""
        return simulate(
            self.jobs(k) if jobs is None else jobs,
            cluster or self.cluster,
            scheduler_in(name, k, self.kind),
            cost or self.cost(),
            quantum=self.quantum * k,
            whole_slots=self.whole_slots,
            restart_s=None if self.restart_s is None else self.restart_s * k,
        )


def scheduler_in(name: str, k: float = 1.0, kind: str = "trace") -> Any:
    """A scheduler for a cost model; its parameters that are times are multiplied by k."""
    given = BRIEF.get(name, {})
    if kind == "reserved":
        given = given | RESERVING.get(name, {}) | ({"placement": RESERVED} if places_by_bandwidth(name) else {})
    cls, plain = scheduler_class(name), make_scheduler(name, given)
    times = {field: getattr(plain, field) for field, it in rules(cls).items() if isinstance(it, Within) and it.time}
    scaled = {f: tuple(x * k for x in v) if isinstance(v, tuple) else v * k for f, v in times.items() if v is not None}
    return make_scheduler(name, {**given, **scaled})


@st.composite
def clusters(draw: Any, *, one_type: bool = False) -> Cluster:
    """One to four nodes of one or two GPU types, in one or two racks."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=4))
    fast = [not one_type and draw(st.booleans()) for _ in sizes]
    rack = np.array([draw(st.integers(0, 1)) for _ in sizes])
    return Cluster(
        gpus=np.array(sizes, np.int64),
        gpu_type=tuple("b" if f else "a" for f in fast),
        rack=np.unique(rack, return_inverse=True)[1].astype(np.int64),
        speed=np.where(fast, 2.0, 1.0),
        rack_gbps=np.array([10.0, 5.0])[: len(set(rack.tolist()))],
    )


@st.composite
def times(draw: Any, n: int) -> tuple[Any, Any]:
    """Submissions and durations that meet often, or with fractions of a second."""
    if draw(st.booleans()):
        submit = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
        length = draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))
        return np.array(submit) * 360.0, np.array(length) * 100.0
    submit = draw(st.lists(st.integers(0, 300_000), min_size=n, max_size=n))
    length = draw(st.lists(st.integers(1, 300_000), min_size=n, max_size=n))
    return np.array(submit) / 97.0, np.array(length) / 89.0


@st.composite
def instances(draw: Any, kinds: tuple[str, ...] = PRICED) -> Instance:
    """An instance under one of several cost models."""
    kind, n = draw(st.sampled_from(kinds)), draw(st.integers(1, 7))
    submit, length = draw(times(n))
    knobs = {
        "alpha": draw(st.sampled_from([0.0, 0.3, 2.0])),
        "share": draw(st.sampled_from([0.0, 0.05, 0.5])),
        "overhead": draw(st.sampled_from([0.0, 0.005, 0.25])),
    }
    restart = draw(st.sampled_from([0.0, 30.0, 45.5]))
    quantum = draw(st.sampled_from([0.0, 0.0, 60.0]))
    if kind == "parameter-server":
        return _with_servers(draw, submit, length, restart)
    if kind == "goodput":
        cluster = Cluster.parse(draw(st.sampled_from(["t4:2x4,rtx:1x8", "t4:1x4", "rtx:2x8"])))
    else:
        cluster = draw(clusters(one_type=kind in SLOTTED))
    kinds_of = np.array(cluster.gpu_type)
    most = max(int(cluster.gpus[kinds_of == each].sum()) for each in set(cluster.gpu_type))
    gpus = np.minimum(draw(st.lists(st.sampled_from([1, 1, 2, 3, 4, 8]), min_size=n, max_size=n)), most)
    columns: dict[str, Any] = {"submit_s": submit, "duration_s": length, "gpus": gpus}
    elastic = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if kind in ("trace", "ring", *LINKED, "goodput"):
        columns["min_gpus"] = np.where(elastic, 1, gpus)
        columns["max_gpus"] = np.where(elastic, np.maximum(gpus, np.minimum(2 * gpus, cluster.total_gpus)), gpus)
    if kind == "goodput":
        columns["application"] = draw(st.lists(st.sampled_from(["cifar10", "bert"]), min_size=n, max_size=n))
        columns["adaptivity"] = np.where(elastic, "adaptive", "rigid")
        columns["max_gpus"], columns["duration_s"] = np.where(elastic, np.maximum(gpus, 16), gpus), length + 1.0
    if kind in SLOTTED:
        columns["duration_s"], quantum = np.ceil(length), 1.0 if kind == "ring-slotted" else quantum
    whole = kind == "ring-slotted" or (quantum > 0.0 and kind in PRICED and draw(st.booleans()))
    return Instance(kind, columns, cluster, knobs, restart, quantum, whole)


def _with_servers(draw: Any, submit: Any, length: Any, restart: float) -> Instance:
    n = len(submit)
    cluster = Cluster.parse(draw(st.sampled_from(["gpu:2x2,cpu:2x4", "gpu:1x4,cpu:1x8"])))
    counts = st.lists(st.integers(1, 2), min_size=n, max_size=n)
    models = draw(st.lists(st.sampled_from(["vgg11", "resnet50", "googlenet"]), min_size=n, max_size=n))
    on_cpu = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    own = PsJobs.build(models, 1.0, draw(counts), draw(counts), on_cpu=on_cpu).lasting(length + 1.0)
    knobs = {"alpha": 0.0, "share": 0.0, "overhead": 0.0}
    columns = {"submit_s": np.sort(submit), "gpus": np.zeros(n)}
    return Instance("parameter-server", columns, cluster, knobs, restart, 0.0, False, own)
