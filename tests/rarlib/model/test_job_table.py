"""The job table: order, identity, and the rules of every column at their limits."""

from itertools import product

import numpy as np
import pytest

from rarlib.model.errors import InputError
from rarlib.model.jobs import ADAPTIVITIES, Job, Jobs

GOOD = {"submit_s": [5.0, 3.0, 5.0], "gpus": [1, 2, 4], "duration_s": [10.0, 20.0, 0.0]}


def test_ids_by_position():
    assert Jobs.build(**GOOD).job_id.tolist() == ["0", "1", "2"]


def test_rigid_unless_limits_are_given():
    jobs = Jobs.build(**GOOD)
    assert (jobs.min_gpus == jobs.gpus).all()
    assert (jobs.max_gpus == jobs.gpus).all()


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("submit_s", np.nan, "finite"),
        ("submit_s", -1.0, "negative"),
        ("gpus", 0, "at least 1"),
        ("gpus", 1.5, "whole"),
        ("min_gpus", 3, "must not exceed gpus"),
        ("max_gpus", 1, "must not be below gpus"),
    ],
)
def test_bad_value(column, value, rule):
    columns = {**GOOD, "gpus": [1, 2, 4], "min_gpus": [1, 1, 1], "max_gpus": [4, 4, 4]}
    columns[column] = [*columns[column]]
    columns[column][1] = value
    with pytest.raises(InputError, match=rf"log.csv, row 30, field {column}: .*{rule}") as caught:
        Jobs.build(file="log.csv", rows=np.array([20, 30, 40]), **columns)
    assert "\n" not in str(caught.value)


def test_numbers_and_texts_may_collide():
    """Ids 7 and '7' are written alike, so they are one name."""
    with pytest.raises(InputError, match="duplicate id 7"):
        Jobs.build(**GOOD, job_id=[7, "7", 8])


def test_empty_trace():
    with pytest.raises(InputError, match=r"log\.csv: the trace holds no job"):
        Jobs.build(submit_s=[], gpus=[], duration_s=[], file="log.csv")


COUNTS = ("gpus", "min_gpus", "max_gpus", "batch_size", "cpu_tasks")
TEXTS = ("application", "user", "vc", "status")
MOST_S, MOST_COUNT, MOST_CHARACTERS = 10_000_000_000.0, 4_294_967_296, 256
"""As rarlib/model/limits.py has them."""


def table(**one):
    """Three jobs; the one in the middle has the given values."""
    columns = {"submit_s": [0.5, 0.5, 0.5], "gpus": [1, 1, 1], "duration_s": [1.0, 1.0, 1.0]}
    plain = {"min_gpus": 1, "max_gpus": MOST_COUNT, "batch_size": 0, "cpu_tasks": 0, "job_id": None}
    for name, value in one.items():
        around = columns[name][0] if name in columns else plain.get(name, "")
        columns[name] = ["first", value, "last"] if name == "job_id" else [around, value, around]
    return columns


def accepted(**one):
    """Whether the table takes a job; an error must name its row."""
    try:
        Jobs.build(rows=np.array([20, 30, 40]), **table(**one))
    except InputError as error:
        assert error.row == 30, error
        return False
    return True


def test_every_small_job_is_judged_by_the_dictionary():
    """At least one GPU, or none if there are CPU tasks; fewest <= requested <= most, from 1 up where there are GPUs."""
    for gpus, tasks, fewest, most in product(range(-1, 3), range(-1, 3), range(-1, 4), range(-1, 4)):
        allowed = tasks >= 0 and (gpus >= 1 or (gpus == 0 and tasks >= 1))
        allowed = allowed and fewest <= gpus <= most and (fewest >= 1 if gpus else fewest == most == 0)
        job = {"gpus": gpus, "cpu_tasks": tasks, "min_gpus": fewest, "max_gpus": most}
        assert accepted(**job) == allowed, job


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_whole_up_to_the_limit(name):
    """Sums over all jobs must fit into 64 bits, and half a GPU is none."""
    rest = {"max_gpus": MOST_COUNT} if name == "gpus" else {"gpus": MOST_COUNT} if name == "min_gpus" else {}
    for value in (1, 2, MOST_COUNT - 1, MOST_COUNT):
        assert accepted(**{**rest, name: value}), value
    for value in (-1, 0.5, 1.5, -MOST_COUNT, MOST_COUNT + 1, -MOST_COUNT - 1, np.inf, -np.inf, np.nan):
        assert not accepted(**{**rest, name: value}), value
    assert accepted(**{name: 0}) == (name in ("batch_size", "cpu_tasks"))


@pytest.mark.parametrize("name", ["submit_s", "duration_s"])
def test_times_are_not_negative_up_to_the_limit(name):
    for value in (0.0, 1e-9, 0.5, MOST_S):
        assert accepted(**{name: value}), value
    for value in (-1e-9, -1.0, MOST_S + 1.0, np.inf, -np.inf, np.nan):
        assert not accepted(**{name: value}), value


@pytest.mark.parametrize("name", [*TEXTS, "job_id"])
def test_texts_are_up_to_256_characters_that_can_be_written(name):
    """The first and last halves of surrogate pairs and their neighbours, which are characters."""
    for text in ("x" * MOST_CHARACTERS, "\ud7ff", "\ue000", "\x01", "a b", "na"):
        assert accepted(**{name: text}), ascii(text)
    for text in ("x" * (MOST_CHARACTERS + 1), "\0", "a\ud800", "\udfffb"):
        assert not accepted(**{name: text}), ascii(text)
    for text in ("", " ", "\t", "nan", "NaN"):
        assert accepted(**{name: text}) == (name != "job_id"), ascii(text)


def test_adaptivity_is_one_of_four_words():
    """Every other word, and every other case, is a slip."""
    assert set(ADAPTIVITIES) == {"adaptive", "scale-gpus", "rigid", ""}
    for word in ("adaptive", "scale-gpus", "rigid", "", "Adaptive", "scale", "none"):
        assert accepted(adaptivity=word) == (word in ADAPTIVITIES), word


def drawn(seed):
    """Jobs in any order, with ties and steps of a quarter of a second, every column given."""
    rng, n = np.random.default_rng(seed), 12
    gpus = rng.integers(1, 9, n)
    columns = {"submit_s": rng.integers(2, 20, n) / 4.0, "gpus": gpus, "duration_s": rng.uniform(0, 9, n)}
    columns |= {"min_gpus": rng.integers(1, gpus + 1), "max_gpus": gpus + rng.integers(0, 3, n)}
    columns |= {name: rng.integers(0, 5, n) for name in ("batch_size", "cpu_tasks")}
    columns |= {name: rng.choice(["a", "b", ""], n).tolist() for name in TEXTS}
    return columns | {"adaptivity": rng.choice(ADAPTIVITIES, n).tolist(), "job_id": rng.permutation(n)}


@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_that_of_a_stable_sort(seed):
    """Every column in Python's own order by submission, as columns, rows and parts; times from the first on."""
    columns = drawn(seed)
    given = [dict(zip(columns, row, strict=True)) for row in zip(*map(list, columns.values()), strict=True)]
    expected = sorted(given, key=lambda job: job["submit_s"])
    jobs = Jobs.build(**columns)
    assert jobs.origin_s == expected[0]["submit_s"]
    parts = [(jobs, expected), (jobs.take(slice(None)), expected), (jobs.take(jobs.gpus > 3), [
        job for job in expected if job["gpus"] > 3
    ]), (jobs.take(np.array([2, 5, 7])).take(slice(1, 3)), [expected[5], expected[7]])]  # fmt: skip
    for part, rows in parts:
        assert len(part) == len(rows) > 0
        first = rows[0]["submit_s"]
        assert part.origin_s == first
        for i, (job, row) in enumerate(zip(part, rows, strict=True)):
            at = {**row, "job_id": str(row["job_id"]), "submit_s": row["submit_s"] - first}
            assert job == Job(i, *(at[name] for name in Job._fields[1:]))
            assert part.status[i] == row["status"]
    nothing = jobs.take(slice(0, 0))
    assert (len(nothing), nothing.origin_s) == (0, jobs.origin_s)


@pytest.mark.parametrize(("ids", "row"), [(["a", "b", "a"], 9), (["a", "", "b"], 8), (["b\0", "a", "c"], 7)])
def test_an_id_that_is_refused_is_named_by_its_row_in_the_input(ids, row):
    for submit_s in ([1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 3.0, 1.0]):
        with pytest.raises(InputError) as caught:
            Jobs.build(submit_s=submit_s, gpus=[1] * 3, duration_s=[1.0] * 3, job_id=ids, rows=np.array([7, 8, 9]))
        assert (caught.value.row, caught.value.field) == (row, "job_id")
