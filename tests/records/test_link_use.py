"""What `rarlib why` says of links, and what it refuses."""

import re

import pytest
from typer.testing import CliRunner

from rarlib.cli.main import app
from rarlib.records.link_use import link_load, link_use
from rarlib.records.pictures import schedule
from rarlib.records.read import Record

FABRIC = "leaf-spine,racks=2,servers_per_rack=4,spines=2,oversubscription=4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Gangs of six on servers of four GPUs: two jobs on each server that they share, and few cables between racks."""
    path = tmp_path_factory.mktemp("fabric")
    (path / "trace.csv").write_text("submit_s,gpus,duration_s\n" + "".join(f"{i},6,{300 + i}\n" for i in range(12)))
    arguments = ["simulate", "--trace", path / "trace.csv", "--cluster", "8x4", "--scheduler", "fifo", "--quiet"]
    arguments += ["--fabric", FABRIC, "--contention", "share=0.4", "--out", path / "run", "--param", "placement=spread"]
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return path / "run"


def test_contention_of_links_is_that_of_jobs(folder):
    record = Record.read(folder)
    links = link_use(record)
    assert record.jobs["contention_s"].sum() > 10.0, "the effect must be alive"
    assert links["contention_s"].sum() == pytest.approx(record.jobs["contention_s"].sum(), abs=1e-3)
    assert links["contention_s"].is_monotonic_decreasing
    assert links["share"].between(0.0, 1.0).all()


def test_why_names_the_links(folder):
    said = CliRunner().invoke(app, ["why", str(folder)]).output
    (head,) = re.findall(r"contention by link: (\d+) of (\d+) links in use held jobs back, most:", said)
    assert 0 < int(head[0]) <= int(head[1])
    shares = [float(share) for share in re.findall(r"^ {2}\S+ +[\d,.]+ s +([\d.]+)%   in use", said, re.MULTILINE)]
    assert shares == sorted(shares, reverse=True)
    assert 0.0 < sum(shares) <= 100.5


def test_the_load_of_links_is_read_and_drawn(folder):
    record = Record.read(folder)
    load, use = link_load(record), link_use(record).set_index("link")
    assert load.columns[0] == "start_s"
    bin_s = load["start_s"].iloc[1]
    for name in load.columns[1:]:
        assert load[name].sum() * bin_s == pytest.approx(use.loc[name, "carried_s"], rel=1e-2)
    assert load.iloc[:, 1:].sum().is_monotonic_decreasing
    chart, below = schedule(record).axes
    assert chart.get_xlim() == below.get_xlim()
    busiest = below.lines[0]
    assert busiest.get_label() == load.columns[1]
    assert busiest.get_ydata()[:-1] == pytest.approx(100.0 * load[load.columns[1]])
    assert len(schedule(record, links=0).axes) == 1
    assert len(schedule(record, links=2).axes[1].lines) == 2
