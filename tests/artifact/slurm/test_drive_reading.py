"""What the driver reads of a Slurm: words of users, its own notes, lists of nodes, and texts that try to deceive it."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifact.slurm.notation import host_names, limit_seconds, tres_count
from artifact.slurm.queue import QueueReader, read_nodes, read_place, split_entries
from artifact.slurm.words import Note, Wish, read_note, read_wish
from rarlib.model.errors import InputError

NAMES = st.text(string.ascii_lowercase + string.digits + "-.", min_size=1, max_size=9).map("n".__add__)
SECONDS = st.floats(0.0, 1e8).map(lambda number: round(number, 3))
NOTES = st.builds(
    Note,
    st.integers(1, 4096),
    SECONDS,
    SECONDS,
    SECONDS,
    st.none() | SECONDS,
    st.lists(st.tuples(NAMES, st.integers(1, 64)), max_size=5).map(tuple),
    st.none() | SECONDS,
)

DETAILS = """\
JobId=7 JobName={name}
   UserId=me(1) GroupId=me(1) MCS_label=N/A
   NodeList=n[1,3]
   JOB_GRES=(null)
     Nodes=n1 CPU_IDs=0-3 Mem=0 GRES=gpu:a100:2(IDX:0-1)
     Nodes=n3 CPU_IDs=0,2 Mem=0 GRES=gpu:1(IDX:0)
   Comment={comment}
"""
NODES = """\
NodeName=n1 CPUAlloc=0 CPUTot=8 Gres=gpu:a100:4(S:0-1) State=MIXED+DRAIN Partitions=main,all CfgTRES=cpu=8,gres/gpu=4
NodeName=n2 CPUAlloc=0 CPUTot=8 Gres=(null) State=IDLE Partitions=all CfgTRES=cpu=8
NodeName=n3 CPUAlloc=0 CPUTot=8 Gres=gpu:2 State=IDLE* Partitions=main CfgTRES=cpu=8,gres/gpu=2
NodeName=n4 CPUAlloc=0 CPUTot=8 Gres=gpu:2 State=IDLE Partitions=main CfgTRES=cpu=8,gres/gpu=2
"""


@given(NOTES)
def test_a_note_is_read_as_it_was_written(note):
    assert read_note(note.text()) == note


@given(st.text())
def test_any_text_is_a_note_and_a_wish(text):
    read_note(f"rarlib {text}")
    read_wish(f"rarlib {text}")


def test_users_say_what_they_wish_among_other_words():
    assert read_wish("ours: rarlib seconds=90 gpus=2-8 application=resnet18") == Wish(90.0, 2, 8, "resnet18")
    assert read_wish("seconds=90") == Wish()
    assert read_wish("rarlib seconds=-1 gpus=8-2 application=a;b") == Wish()
    assert read_wish("rarlib seconds=nan gpus=x") == Wish()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,7],gpu-a", ["n1", "n2", "n3", "n7", "gpu-a"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("", []),
    ],
)
def test_lists_of_nodes(text, names):
    assert host_names(text) == names


@pytest.mark.parametrize("text", ["n[1-x]", "n[]", "n[1-2-3]", "n[0-999999999]", "[1-9999][1-9999][1-9999]"])
def test_lists_of_nodes_that_are_none_are_refused(text):
    """Also those of more nodes than a cluster may have, before they are written out."""
    with pytest.raises(InputError, match=r"lists numbers as|names more than 20,000 nodes"):
        host_names(text)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("CPUTot=8", "CPUTot=", "field CPUTot: missing from a node"),
        ("CPUTot=8", "CPUTot=many", "field CPUTot: must be a whole number, found 'many'"),
        ("NodeName=", "Name=", "field NodeName: missing from a node"),
        (" State=", " Status=", "field State: missing from a node"),
    ],
)
def test_nodes_that_say_too_little_are_refused(old, new, rule):
    """A Slurm that prints something else than is known is not driven on a guess."""
    with pytest.raises(InputError, match=f"^scontrol show node, {rule}"):
        read_nodes(NODES.replace(old, new), "main", "cpu")


def test_a_number_of_cpus_that_is_none_is_refused():
    text = "secret" + line(id=2)
    assert split_entries(text, "secret")[0].cpus == 4
    with pytest.raises(InputError, match=r"^squeue, field %C: must be a whole number, found '4K'"):
        split_entries(text.replace("|4|main", "|4K|main"), "secret")


@pytest.mark.parametrize(
    ("text", "seconds"), [("5:00", 300), ("1:00:00", 3600), ("2-01:00:00", 176_400), ("UNLIMITED", 365 * 86_400)]
)
def test_limits(text, seconds):
    assert limit_seconds(text) == seconds


def test_resources_are_counted_by_their_whole_name():
    assert tres_count("cpu=5,gres/gpu:a100=2,gres/gpu=3,node=1", "gres/gpu") == 3
    assert tres_count("cpu=5", "gres/gpu") == 0


def test_a_gang_is_where_slurm_says():
    text = DETAILS.format(name="train", comment="(null)")
    assert read_place(text, "n[1,3]", 6, "cpu") == (("n1", 4), ("n3", 2))
    assert read_place(text, "n[1,3]", 6, "gpu") == (("n1", 2), ("n3", 1))


@pytest.mark.parametrize(
    "lie",
    [
        "x\n     Nodes=n1 CPU_IDs=0-3 Mem=0 GRES=",
        "x\n     Nodes=n[1,3] CPU_IDs=0-2 Mem=0 GRES=",
        "x\n     Nodes=n9 CPU_IDs=a-b Mem=0 GRES=",
        "x\n     Nodes=n[1-x] CPU_IDs=0 Mem=0 GRES=",
        "x\n     Nodes=" + "[1-9999]" * 9 + " CPU_IDs=0 Mem=0 GRES=",
        f"x\n     Nodes=n[{'0-99999,' * 9}1] CPU_IDs=0 Mem=0 GRES=",
    ],
)
def test_names_and_comments_that_imitate_slurm_make_a_gang_unknown(lie):
    assert read_place(DETAILS.format(name=lie, comment=""), "n[1,3]", 6, "cpu") is None
    assert read_place(DETAILS.format(name="x", comment=lie), "n[1,3]", 6, "cpu") is None


def test_nodes_of_a_partition():
    cpus = [(node.name, node.gpus, node.up) for node in read_nodes(NODES, "main", "cpu")]
    assert cpus == [("n1", 8, False), ("n3", 8, False), ("n4", 8, True)]
    assert [(node.gpus, node.gpu_type) for node in read_nodes(NODES, "main", "gpu")] == [
        (4, "a100"),
        (2, "gpu"),
        (2, "gpu"),
    ]


LINE = "|{id}|{state}|{reason}|{priority}|4|main|{nodes}|{start}|2026-01-01T00:00:00|5:00||{comment}\n"


def line(**given):
    usual = {"id": 1, "state": "PENDING", "reason": "JobHeldUser", "priority": 0, "nodes": "", "start": "N/A"}
    return LINE.format(**usual | {"comment": "(null)"} | given)


def test_a_comment_cannot_add_a_job():
    text = "secret" + line(comment="x\n|9|PENDING|JobHeldUser|0|4|main||N/A|2026-01-01T00:00:00|5:00||") + "secret"
    entries = split_entries(text + line(id=2), "secret")
    assert [entry.id for entry in entries] == ["1", "2"]
    assert entries[0].comment.startswith("x\n|9|")


class Said:
    """A Slurm that answers with given lines of squeue."""

    def __init__(self, *lines):
        self._lines = lines

    def call(self, program, *arguments):
        if program == "squeue" and "--Format" in arguments[-1]:
            return ""
        if program == "squeue":
            token = arguments[-1].partition("=")[2].partition("|")[0]
            return "".join(token + each for each in self._lines)
        if arguments[:2] == ("show", "job"):
            return "     Nodes=n4 CPU_IDs=0-3 Mem=0 GRES=\n"
        return NODES


def test_jobs_that_are_none_of_ours_are_left_alone():
    queue = QueueReader(
        Said(
            line(id=1),
            line(id=2, reason="JobHeldAdmin"),
            line(id="3_[1-4]"),
            line(id=4, state="RUNNING", priority=9, nodes="n4", start="2026-01-01T00:00:00"),
            line(id=5, state="COMPLETING", priority=9, nodes="n4", start="2026-01-01T00:00:00"),
            line(id=6, state="COMPLETING", priority=0, nodes="n4", start="2026-01-01T00:00:00"),
            line(id=7, state="PENDING", priority=9, reason="None"),
        ),
        "main",
        "cpu",
    ).read()
    assert [(job.id, job.held, job.leaving, job.place) for job in queue.jobs] == [
        (1, True, False, ()),
        (4, False, False, (("n4", 4),)),
        (6, True, True, ()),
        (7, False, False, ()),
    ]
    assert queue.left_alone["2"] == "held by somebody else"
    assert "job array" in queue.left_alone["3_[1-4]"]
    assert [(node.name, node.gpus) for node in queue.nodes] == [("n1", 0), ("n3", 0), ("n4", 8)]


def test_gpus_of_other_partitions_are_not_ours():
    other = line(id=4, state="RUNNING", priority=9, nodes="n4", start="2026-01-01T00:00:00").replace("|main|", "|all|")
    nodes = QueueReader(Said(other), "main", "cpu").read().nodes
    assert [(node.name, node.gpus) for node in nodes] == [("n1", 0), ("n3", 0), ("n4", 4)]


def test_a_job_that_is_listed_twice_is_refused():
    with pytest.raises(InputError, match=r"^squeue: lists job 7 twice"):
        QueueReader(Said(line(id=7), line(id=3), line(id=7)), "main", "cpu").read()


def test_a_partition_without_nodes_is_refused():
    with pytest.raises(InputError, match="partition nowhere: no node with a cpu for us is up"):
        QueueReader(Said(), "nowhere", "cpu").read()
