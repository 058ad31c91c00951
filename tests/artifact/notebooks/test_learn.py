"""The notebooks of notebooks/learn run anywhere, show what their README shows, and what their texts say is so."""

from functools import lru_cache

import numpy as np
import pytest
from matplotlib.testing.compare import compare_images

from tests.artifact.notebooks.learn import FOLDER, NOTEBOOKS, Ran, draw, picture_of, run


@lru_cache
def ran(name: str) -> Ran:
    return run(FOLDER / f"{name}.ipynb")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_anywhere_and_draws_the_picture_of_the_readme(notebook, tmp_path):
    """Without traces, network and ipywidgets; a picture that no longer is what the notebook draws would mislead."""
    drawn = tmp_path / "picture.png"
    draw(ran(notebook.stem).picture, drawn)
    assert compare_images(str(picture_of(notebook)), str(drawn), tol=2.0) is None


def test_one_job():
    """The ring sums; leaving a server is what hurts; beyond that more workers hardly cost more."""
    names = ran("01-one-job").names
    final = names["states"][-1][0]
    assert np.allclose(final, names["gradients"].sum(axis=0))
    speed = names["speed"].set_index(["network", "workers"])
    assert speed.loc[("10 Gbit/s", 16), "value"] < speed.loc[("10 Gbit/s", 8), "value"]
    seconds = speed["seconds"]
    assert seconds[("10 Gbit/s", 64)] < 1.1 * seconds[("10 Gbit/s", 16)]
    assert seconds[("10 Gbit/s", 16)] > 3 * seconds[("10 Gbit/s", 8)]


def test_two_jobs_on_one_link():
    """Progress drawn from iteration times ends where the simulator ends; waiting pays only for a while."""
    names = ran("02-two-jobs-one-link").names
    packed, fair, worse = names["runs"].values()
    assert packed.contention_s.sum() == 0.0
    assert (packed.finish_s < fair.finish_s).all() and (fair.finish_s < worse.finish_s).all()
    for each in (packed, fair, worse):
        rows, _ = names["advance"](each)
        assert rows.groupby("job_id")["done"].max().to_numpy() == pytest.approx([100.0, 100.0])
    for gbps in (10, 25, 100):
        soon, late = ({rule: names["completion"](rule, a, gbps) for rule in ("pack", "consolidate")} for a in (0, 60))
        assert soon["consolidate"] < soon["pack"] and late["pack"] < late["consolidate"]


def test_elastic_jobs():
    """More GPUs want larger batches; the numbers in the text; shares of the closed form; nobody waits when elastic."""
    names = ran("04-elastic-jobs").names
    best = []
    for gpus in (1, 2, 4, 8, 16):
        rows = names["goodputs"](gpus, 1000.0)
        assert (rows["throughput"].diff().dropna() > 0).all() and (rows["efficiency"].diff().dropna() < 0).all()
        assert rows["efficiency"].to_numpy() == pytest.approx((1000.0 + 128.0) / (1000.0 + rows["batch"]))
        best.append(rows["batch"][(rows["throughput"] * rows["efficiency"]).idxmax()])
    assert best == sorted(set(best))
    early, late = names["curves"]["early"], names["curves"]["late"]
    assert 3.0 < early[7] < 4.0 and 6.5 < late[7] < 7.0
    assert early[15] < early[1] and late[15] == late.max()
    done = {name: found for name, (_, found) in names["given"].items()}
    assert done["linear"].tolist() == [24 * 8 * 4, 0, 0]
    # The sum of roots is greatest with GPUs in proportion to speeds, that of logarithms with equal numbers of GPUs.
    assert done["square root"] / done["square root"][2] == pytest.approx([16.0, 4.0, 1.0], rel=0.05)
    assert done["logarithm"] == pytest.approx([256.0, 128.0, 64.0], rel=0.02)
    assert names["means"]["Elastic"] < 0.9 * names["means"]["As requested (FIFO)"]


def test_jobs_nobody_can_predict():
    """The count by hand; known ends of the scale; and who gains and loses by each rule."""
    names = ran("05-jobs-nobody-can-predict").names
    scores = {"S": 5, "T": 2, "U": 4, "V": 6, "W": 10}
    assert dict(zip(names["five"]["job"], names["five"]["score"], strict=True)) == scores
    borda, attained = names["borda"], np.array([3.0, 1.0, 2.0])
    nobody, everybody = np.zeros(3, bool), np.ones(3, bool)
    assert borda(attained, attained, nobody).tolist() == [6.0, 2.0, 4.0]  # the first ballot twice
    assert borda(attained, attained[::-1], everybody).tolist() == [5.0, 2.0, 5.0]
    means = names["results"].groupby(["group", "rule", "x"])["value"].mean()
    for x in (15.0, 30.0, 50.0):
        assert means["unpredictable", "predicted", x] > 2 * means["unpredictable", "borda", x]
        assert means["unpredictable", "borda", x] < 1.3 * means["unpredictable", "attained", x]
        assert means["predictable", "predicted", x] < means["predictable", "borda", x]
        assert means["predictable", "borda", x] < means["predictable", "attained", x]
        assert means["all jobs", "borda", x] == pytest.approx(means["all jobs", "predicted", x], rel=0.1)
    case = names["compare"](5, 0.3)
    waits = (case["turnaround"] - case["length"]).groupby([case["rule"], case["predictable"]]).max()
    assert waits["predicted", False] > 4.0 and waits["borda", False] < 1.0 and waits["attained", False] < 1.0
    assert 12.0 < waits["attained", True] < 24.0


def test_pipelines():
    """Bubbles of the textbook: (n-1)/n one at a time, (n-1)/(n-1+m) for GPipe, none for 1F1B."""
    names = ran("06-pipelines").names
    for line, stages, idle in names["idle"]:
        group = {"1F1B": np.inf, "one at a time": 1}.get(line) or int(line.split()[-1])
        assert idle == pytest.approx((stages - 1) / (stages - 1 + group), abs=1e-9), line
    titles = [names["layers"](gbps)[0] for gbps in (10, 100)]
    assert "by stage 3-1," in titles[0] and "by stage 4," in titles[1]
    layers = names["layers"](10)[1]
    heavy = layers.nlargest(3, "parameter_bytes")
    assert heavy["parameter_bytes"].sum() > 0.8 * layers["parameter_bytes"].sum()
    assert heavy["compute_s"].sum() < 0.1 * layers["compute_s"].sum()


def test_own_scheduler():
    """No patience is order of arrival, endless patience is SJF, and a careless scheduler is stopped."""
    names, printed, _ = ran("08-your-scheduler")
    jobs, simulate, cluster = names["random_jobs"](3, 100), names["simulate"], names["cluster"]

    def finish(scheduler):
        return simulate(jobs, cluster, scheduler, names["TraceCost"]()).finish_s

    assert finish(names["Patient"](np.inf)).tolist() == finish(names["Sjf"]()).tolist()
    never = names["Patient"](-1.0)
    assert finish(never).tolist() == finish(names["Fifo"]()).tolist()
    means = names["results"].groupby(["metric", "scheduler"])["value"].mean()
    assert means["mean completion time (h)", "sjf"] < means["mean completion time (h)", "patient"]
    assert means["mean completion time (h)", "patient"] < means["mean completion time (h)", "fifo"]
    assert means["longest wait (h)", "patient"] < means["longest wait (h)", "sjf"]
    assert "careless" in printed and "GPUs" in printed


def test_traces():
    """Two of the seven lines are dropped, the broken one is named, and stand-ins say that they are."""
    names, printed, _ = ran("09-traces")
    assert "7 rows read, 5 kept" in printed
    assert "cluster_log.csv, row 8, field duration: must not be negative" in printed
    assert list(names["traces"]) == [f"{name} (stand-in)" for name in ("Philly", "Venus", "Seren", "PAI")]
    for trace in names["traces"].values():
        shares = names["shares"](trace)
        assert shares["jobs"].iloc[-1] == pytest.approx(1.0) and shares["gpu_time"].iloc[-1] == pytest.approx(1.0)
        assert (shares["jobs"] >= shares["gpu_time"] - 1e-12).all()  # short jobs hold less than their share


@pytest.fixture(scope="module")
def names():
    return run(FOLDER / "10-taking-turns.ipynb").names


def later(names, shift):
    both = names["history"](names["job"]("A"), names["job"]("B", shift))
    return names["mean_s"](both)["B"]


def test_a_quarter_of_a_second_decides(names):
    """By hand: for x below s, the jobs share the link for 2 (s - x), and each takes c + 2 s - x."""
    for shift in (0.0, 0.15, 0.3, 0.4, 0.6):
        assert later(names, shift) == pytest.approx(0.6 + 0.4 + max(0.4 - shift, 0.0))


def test_rules_of_sharing(names):
    fair = names["of_b"](0.2, 40)["value"]
    assert fair.to_numpy() == pytest.approx(1.2)
    first = names["of_b"](0.2, 40, priority=1)["value"].to_numpy()
    assert first[0] == pytest.approx(1.2)
    assert first[1:] == pytest.approx(1.0)
    noisy = names["of_b"](0.2, 200, noise=0.1)["value"]
    assert noisy.max() > 1.35
    assert noisy.min() < 1.05


def test_the_law_is_the_mean_and_counting_is_not(names):
    followed, law, counted = (names["table"].to_numpy()[:, column] for column in range(3))
    assert law[1] == pytest.approx(1.0 + 0.4 * 0.4)
    assert law == pytest.approx(followed, rel=0.02)
    assert (counted[1:] > 1.2 * followed[1:]).all()


def test_one_busy_hour():
    names = run(FOLDER / "07-one-busy-hour.ipynb").names
    parts = {label: table.mean(numeric_only=True) for label, table in names["tables"].items()}
    longest = {label: wait.max() for label, wait in names["waits"].items()}
    assert parts["FIFO"]["wait_order_s"] > 0.0
    assert parts["backfilling"]["wait_order_s"] == 0.0  # nobody is passed over any more
    assert parts["consolidating"]["wait_fragmentation_s"] > 0.0
    assert parts["consolidating"]["contention_s"] < parts["backfilling"]["contention_s"]
    assert parts["shortest remaining"]["turnaround_s"] == min(part["turnaround_s"] for part in parts.values())
    assert longest["shortest remaining"] == max(longest.values())
    assert parts["shortest remaining"]["restart_s"] > 0.0
