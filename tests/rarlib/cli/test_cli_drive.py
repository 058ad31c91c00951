"""`rarlib drive` on programs that stand for a Slurm's: what it refuses, and that it changes nothing unless told to."""

import fcntl
import json
import re

import pytest

from rarlib.cli.main import main

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


def ended(*arguments):
    with pytest.raises(SystemExit) as end:
        main(["drive", *arguments])
    return end.value.code


def changed(folder):
    """Calls of programs that do more than ask."""
    lines = (folder / "called").read_text().splitlines() if (folder / "called").exists() else []
    return [line for line in lines if not re.match(r"squeue |scontrol show ", line)]


def test_nothing_is_done_unless_told(slurm, capsys):
    assert ended(*USUAL) == 0
    said = capsys.readouterr().out
    assert "job 5: start on n1:4" in said
    assert "scontrol release 5" in said
    assert "nothing was done" in said
    assert changed(slurm) == []


def test_orders_are_carried_out_and_every_command_is_logged(slurm):
    (slurm / "mine.log").write_text('{"kept": 1}\n')
    assert ended(*USUAL, "--commit", "--until-empty", "--interval", "0.1", "--log", "mine.log") == 0
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
def test_what_is_wrong_is_said_before_anything_is_changed(slurm, capsys, arguments, said, commit):
    assert ended(*USUAL, *arguments, *commit) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert changed(slurm) == []


def test_a_slurm_must_be_asked_for(slurm, capsys):
    assert ended(*USUAL[1:], "--commit") == 2
    assert "--slurm: jobs are driven on a Slurm only" in capsys.readouterr().err
    assert not (slurm / "called").exists()


def test_one_file_is_written_by_one_driver(slurm, capsys):
    with (slurm / "slurm-drive.log").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert ended(*USUAL, "--commit") == 2
    assert "another driver writes there" in capsys.readouterr().err
    assert changed(slurm) == []
