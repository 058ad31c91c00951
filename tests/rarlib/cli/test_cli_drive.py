"""`rarlib drive` on programs that stand for a Slurm's: what it refuses, and that it changes nothing unless told to."""

import fcntl
import json
import re

import pytest

TOOL = """\
#!/bin/sh
echo "{name} $*" >> {folder}/called
case "{name} $*" in
    "scontrol show config"*) echo "ClusterName             = lab" ;;
    "scontrol show node"*) echo "NodeName=n1 CPUTot=4 State=IDLE Partitions=gang CfgTRES=cpu=4" ;;
    "squeue --noheader --format="*)
        token=$(echo "$2" | sed 's/--format=//; s/|.*//')
        [ -e {folder}/empty ] || echo "$token|5|PENDING|JobHeldUser|0|4|gang||N/A|2026-01-01T00:00:00|5:00||(null)" ;;
    "scontrol release"*) touch {folder}/empty ;;
esac
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    for name in ("sbatch", "scancel", "scontrol", "sinfo", "squeue"):
        path = tmp_path / name
        path.write_text(TOOL.format(name=name, folder=tmp_path))
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    return tmp_path


USUAL = ["--slurm", "--cluster-name", "lab", "--partition", "gang", "--scheduler", "fifo"]


def changed(folder):
    """Calls of programs that do more than ask."""
    lines = (folder / "called").read_text().splitlines() if (folder / "called").exists() else []
    return [line for line in lines if not re.match(r"squeue |scontrol show ", line)]


def test_nothing_is_done_unless_told(slurm, run):
    code, told = run("drive", *USUAL)
    assert code == 0
    for said in ("job 5: start on n1:4", "scontrol release 5", "nothing was done"):
        assert said in told.out
    assert changed(slurm) == []


def test_orders_are_carried_out_and_every_command_is_logged(slurm, run):
    (slurm / "mine.log").write_text('{"kept": 1}\n')
    assert run("drive", *USUAL, "--commit", "--until-empty", "--interval", "0.1", "--log", "mine.log")[0] == 0
    update, release = changed(slurm)
    assert update.startswith("scontrol update JobId=5 AdminComment=rarlib asked=4 ")
    assert update.endswith(" ReqNodeList=n1 NumNodes=1-1 StartTime=now")
    assert release == "scontrol release 5"
    entries = [json.loads(line) for line in (slurm / "mine.log").read_text().splitlines()]
    assert entries[0] == {"kept": 1}
    commands = [" ".join(entry["command"]) for entry in entries if "command" in entry]
    assert commands == (slurm / "called").read_text().splitlines()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster-name", "other"], "--cluster-name: this Slurm is 'lab', not 'other'"),
        (["--scheduler", "fifi"], "unknown scheduler 'fifi'; did you mean 'fifo'"),
        (["--scheduler", "sia"], "sia needs the goodput of jobs in every configuration"),
        (["--scheduler", "sia", "--cost", "goodput"], "--cost: the driver does not measure how fast jobs train"),
        (["--unit", "tpu"], "--unit: unknown unit 'tpu'; known: cpu, gpu"),
        (["--partition", "nowhere"], "partition nowhere: no node with a cpu for us is up"),
        (["--param", "placement=pakc"], "placement"),
        (["--cost", "nothing"], "unknown cost model 'nothing'"),
    ],
)
@pytest.mark.parametrize("commit", [[], ["--commit"]])
def test_what_is_wrong_is_said_before_anything_is_changed(slurm, refused, arguments, said, commit):
    assert said in refused("drive", *USUAL, *arguments, *commit)
    assert changed(slurm) == []


def test_a_slurm_must_be_asked_for(slurm, refused):
    assert "--slurm: jobs are driven on a Slurm only" in refused("drive", *USUAL[1:], "--commit")
    assert not (slurm / "called").exists()


def test_one_file_is_written_by_one_driver(slurm, refused):
    with (slurm / "slurm-drive.log").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "another driver writes there" in refused("drive", *USUAL, "--commit")
    assert changed(slurm) == []
