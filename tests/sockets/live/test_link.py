"""Two jobs on a real link, for a few seconds, inside namespaces that are gone afterwards."""

import os
import subprocess

import pytest

from tools.sockets.link import Link, call, missing, server_names
from tools.sockets.measure import run_trial
from tools.sockets.plan import RATE_MBIT, SEND_S, Trial

pytestmark = [pytest.mark.release, pytest.mark.skipif(bool(missing()), reason=missing() or "a link can be made")]


def namespaces():
    return {line.split()[0] for line in call(["ip", "netns", "list"]).splitlines()}


def test_two_jobs_at_once_take_at_least_twice_as_long():
    """How much longer is no matter on a busy machine; faster than the link they cannot be."""
    before = call(["ip", "-o", "link"]), call(["tc", "qdisc", "show"])
    rows = run_trial(Trial("class", "fixed", 2, 1.0, 0.0, 0))
    assert len(rows) == 2
    assert max(row.iteration_s for row in rows) > 1.8 * SEND_S
    assert not namespaces() & set(server_names(os.getpid()))
    assert (call(["ip", "-o", "link"]), call(["tc", "qdisc", "show"])) == before


def test_a_link_leads_nowhere_and_is_gone_after_an_error():
    with pytest.raises(RuntimeError, match="on purpose"), Link("fifo", 1, RATE_MBIT) as link:
        assert set(link.servers) <= namespaces()
        routes = subprocess.run(
            ["ip", "-n", link.servers[0], "route"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        assert len(routes) == 1
        assert "10.77.0.0/30 dev ring" in routes[0]
        assert link.sent()[0] < 10_000
        raise RuntimeError("on purpose")
    assert not namespaces() & set(server_names(os.getpid()))
