"""From decisions to commands, without a Slurm: what is started, stopped, moved, held, and left to the next step."""

import pytest

from artifact.slurm.changes import SharedGpus, difference, fitting, loose_ends
from artifact.slurm.client import UnreachableError
from artifact.slurm.drive import Settings, SlurmDriver
from artifact.slurm.orders import Achieved
from artifact.slurm.queue import Queue, QueuedJob, SlurmNode
from artifact.slurm.situation import listing_of, standing
from artifact.slurm.words import Note, Wish, read_note
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler

NODES = (SlurmNode("a", 4, "gpu", True), SlurmNode("b", 4, "gpu", True), SlurmNode("c", 4, "gpu", True))
NOW = 1_000_000.0


def queued(number, gpus, **given):
    usual = QueuedJob(number, gpus, NOW - 100.0 + number, 0.0, 600.0, (), True, False, Wish(), Note())
    return usual._replace(**given)


def commands(order):
    return [" ".join(command) for command in order.commands]


def noted(order):
    """The note that the first command of an order writes."""
    (text,) = [word for word in order.commands[0] if word.startswith("AdminComment=")]
    return read_note(text.removeprefix("AdminComment="))


def changes(jobs, after):
    return difference(jobs, after, dict.fromkeys(after, Achieved(30.0, 120.0)), NODES, NOW, "cpu")


def test_a_waiting_job_is_noted_and_told_its_nodes_before_it_is_released():
    (order,) = changes([queued(1, 6)], {1: (("a", 4), ("c", 2))})
    update, release = commands(order)
    assert update.startswith("scontrol update JobId=1 AdminComment=rarlib asked=6 ")
    assert update.endswith("ReqNodeList=a,c NumNodes=2-2 StartTime=now")
    assert release == "scontrol release 1"
    assert noted(order).at == (("a", 4), ("c", 2))


def test_a_stopped_job_takes_its_progress_along():
    job = queued(1, 4, place=(("a", 4),), start=NOW - 30.0, held=False)
    (order,) = changes([job], {1: ()})
    note, requeue = noted(order), order.commands[1]
    assert (note.done_s, note.gpu_s, note.until, note.at) == (30.0, 120.0, NOW, ())
    assert requeue == ("scontrol", "requeuehold", "1")
    stopped = job._replace(place=(), start=0.0, held=True, leaving=True, submit=NOW, note=note)
    (there,) = standing(listing_of([stopped], NODES), [stopped])
    assert (there.share, there.gpu_s, there.placement, there.ran) == (30.0 / 600.0, 120.0, (), True)
    assert listing_of([stopped], NODES).rows[0].submitted == job.submit


def test_a_moved_job_is_released_once_it_has_left():
    job = queued(1, 4, place=(("a", 4),), start=NOW - 30.0, held=False)
    (order,) = changes([job], {1: (("b", 4),)})
    note = noted(order)
    left = job._replace(place=(), start=0.0, held=True, leaving=True, note=note)
    assert loose_ends([left], NODES, NOW, 60.0, "cpu")[1] == []
    ((released,), (told,)) = loose_ends([left._replace(leaving=False)], NODES, NOW, 60.0, "cpu")
    assert commands(told) == ["scontrol update JobId=1 ReqNodeList=b NumNodes=1-1 StartTime=now", "scontrol release 1"]
    assert released.note.at == (("b", 4),)


def test_stops_come_before_starts():
    runs = queued(2, 4, place=(("a", 4),), start=NOW - 9.0, held=False)
    told = changes([queued(1, 4), runs], {1: (("a", 4),), 2: ()})
    assert [(order.job, order.what) for order in told] == [(2, "stop"), (1, "start on a:4")]


def test_an_elastic_job_is_told_its_number_of_gpus():
    (order,) = changes([queued(1, 4, wish=Wish(least=2, most=8))], {1: (("a", 2),)})
    assert "NumTasks=2 NumCPUs=2-2" in commands(order)[0]


def test_a_job_that_nobody_holds_is_held():
    jobs, (order,) = loose_ends([queued(1, 4, held=False)], NODES, NOW, 60.0, "cpu")
    assert commands(order) == ["scontrol uhold 1"]
    assert jobs[0].note.at == ()


@pytest.mark.parametrize("since", [NOW - 61.0, NOW - 1.0])
def test_patience_with_a_job_that_does_not_start_ends(since):
    job = queued(1, 4, held=False, note=Note(4, NOW - 99.0, at=(("a", 4),), since=since))
    (after,), told = loose_ends([job], NODES, NOW, 60.0, "cpu")
    assert [order.what for order in told] == (["withdraw"] if since < NOW - 60.0 else [])
    assert bool(after.note.at) == (since >= NOW - 60.0)


def test_a_start_that_no_longer_fits_is_withdrawn():
    runs = queued(1, 4, place=(("a", 2),), start=NOW - 9.0, held=False)
    waits = queued(2, 4, held=False, note=Note(4, NOW - 99.0, at=(("a", 4),), since=NOW - 1.0))
    jobs, (order,) = loose_ends([runs, waits], NODES, NOW, 60.0, "cpu")
    assert (order.job, order.what) == (2, "withdraw")
    assert jobs[1].note.at == ()


def test_slurm_fills_the_first_nodes_and_leaves_one_for_each_later_one():
    """As measured on a Slurm 22.05.8: 5 CPUs on two nodes of 4 became 4 and 1; 3 became 2 and 1."""
    assert SharedGpus(NODES, []).take((("a", 2), ("c", 3))) == (("a", 4), ("c", 1))
    assert SharedGpus(NODES, []).take((("a", 1), ("c", 2))) == (("a", 2), ("c", 1))
    shares = SharedGpus(NODES, [(("a", 3),), (("c", 1),)])
    assert shares.take((("a", 1), ("b", 4), ("c", 3))) == (("a", 1), ("b", 4), ("c", 3))
    assert shares.take((("b", 1),)) is None


def test_a_start_beside_which_another_does_not_fit_comes_alone():
    told = changes([queued(1, 5), queued(2, 2)], {1: (("a", 2), ("b", 3)), 2: (("a", 2),)})
    assert [(order.job, order.what) for order in told] == [(1, "start on a:4 b:1")]


def test_a_job_larger_than_the_cluster_is_left_alone():
    jobs, alone = fitting(Queue(NODES, (queued(1, 13), queued(2, 12)), {}))
    assert [job.id for job in jobs] == [2]
    assert alone == {"1": "asks for 13 GPUs, there are 12"}


class Steps:
    """A Slurm whose queue is what a test says it is."""

    def __init__(self, *queues):
        self.queues, self.called = list(queues), []

    def read(self):
        return Queue(NODES, self.queues.pop(0), {})

    def call(self, program, *arguments):
        self.called.append((program, *arguments))
        return ""

    def write(self, **entry):
        pass


def driver_of(name, *queues):
    steps = Steps(*queues)
    driver = SlurmDriver(steps, lambda: make_scheduler(name), TraceCost(), Settings("main"), clock=lambda: NOW + 1.0)
    driver._reader = steps
    return driver, steps


@pytest.mark.parametrize("name", ["fifo", "sjf-bco", "srtf", "las", "gavel", "tiresias"])
def test_nothing_changes_while_nothing_happens(name):
    waiting = (queued(1, 12), queued(2, 4))
    driver, steps = driver_of(name, waiting)
    first = driver.plan()
    assert steps.called == []
    assert [order.what for order in first][:1] != []
    started = {order.job: noted(order) for order in first}
    after = tuple(
        job._replace(held=False, place=started[job.id].at, start=NOW, note=started[job.id])
        if job.id in started
        else job
        for job in waiting
    )
    steps.queues = [after, after]
    assert driver.plan() == []
    assert driver.plan() == []


def test_a_driver_that_takes_over_decides_as_one_that_was_there():
    """Job 1 ends: who has seen everything and who has just been started give the same orders."""
    wish = Wish(seconds=60.0)
    waiting = (queued(1, 8, wish=wish), queued(2, 8, wish=wish), queued(3, 12, wish=wish))
    old, steps = driver_of("sjf-bco", waiting)
    note = noted(old.plan()[0])
    runs = waiting[0]._replace(held=False, place=note.at, start=NOW, note=note)
    steps.queues = [(runs, *waiting[1:]), waiting[1:]]
    assert old.plan() == []
    new, _ = driver_of("sjf-bco", waiting[1:])
    held = [[(order.job, sum(gpus for _, gpus in noted(order).at)) for order in each.plan()] for each in (old, new)]
    assert held[0] == held[1] == [(2, 8)]


def test_what_goes_wrong_is_said_and_the_next_step_starts_afresh():
    driver, steps = driver_of("fifo", (queued(1, 4),), (queued(1, 4),))

    def call(program, *arguments):
        raise UnreachableError("scontrol: Invalid job id specified", file="Slurm")

    told = driver.plan()
    steps.call = call
    assert driver.carry_out(told) == [f"job 1, {told[0].what}: Slurm: scontrol: Invalid job id specified"]
    assert [order.what for order in driver.plan()] == [told[0].what]
