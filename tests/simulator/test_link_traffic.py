"""Which link a job waits for, on paper: the seconds of its own exchange times the share that the others take."""

import numpy as np
import pytest

from rarlib.cost.links.link_traffic import find_tightest, no_traffic
from rarlib.fabric.sharing import Sharing, enter


def shared(sizes, capacity):
    """Job 0 is on both links, job 1 on the first one, job 2 on the second one."""
    sharing = Sharing(
        compute_s=np.array([1.0, 6.0, 2.0]),
        size=np.array(sizes),
        send_s=np.ones(3),
        begin=np.array([0, 2, 3]),
        end=np.array([2, 3, 4]),
        link=np.array([0, 1, 0, 1]),
        times=np.ones(4),
        first_user=np.array([0, 2]),
        users=np.zeros(2, np.int64),
        user=np.zeros(4, np.int64),
        user_times=np.zeros(4),
        changes=np.zeros(2, np.int64),
        capacity=np.array(capacity),
        alpha=0.0,
    )
    for job in range(3):
        enter(sharing, job)
    return sharing


@pytest.mark.parametrize(
    ("sizes", "capacity", "tightest"),
    [
        # Laps of 10 s. Others take 10/10/10 = 0.1 and 120/40/10 = 0.3; own seconds 40/10 = 4 and 40/40 = 1: 0.4 > 0.3.
        ([40.0, 10.0, 120.0], [10.0, 40.0], 0),
        # 200/40/10 = 0.5 of the second one: 0.4 < 0.5.
        ([40.0, 10.0, 200.0], [10.0, 40.0], 1),
        # The same on both: the first in the ring.
        ([40.0, 10.0, 10.0], [10.0, 10.0], 0),
    ],
)
def test_the_tightest_link(sizes, capacity, tightest):
    sharing, traffic = shared(sizes, capacity), no_traffic(3, 2)
    find_tightest(traffic, sharing, np.array([5.0, 4.0, 8.0]), 0)
    assert traffic.tightest.tolist() == [tightest, -1, -1]
