"""When the next round is due."""

import numpy as np

from rarlib.schedulers.shared.rounds import Rounds, SpacedRounds

TIMES = (0.0, 3.0, 10.0, 14.0, 20.0, 37.0, 40.0, 47.0)


def test_rounds_at_multiples_catch_up_and_keep_their_clock():
    """Nothing happens at 30; the pass at 37 is that round, and 40 is the next."""
    rounds = Rounds(10.0)
    assert [at for at in TIMES if rounds.due(at)] == [0.0, 10.0, 20.0, 37.0, 40.0]


def test_spaced_rounds_count_from_the_last_one():
    rounds = SpacedRounds(10.0)
    assert [at for at in TIMES if rounds.due(at)] == [0.0, 10.0, 20.0, 37.0, 47.0]
    assert rounds.next_s == 57.0
    rounds.restart()
    assert rounds.next_s == -np.inf and rounds.due(48.0)
