"""The first jobs of a stand-in, replayed while a reader watches."""

from rarlib.arena.live_recorded import replayed, rows


def mean_jct(scheduler, restart_min):
    frame = rows(scheduler, 10, restart_min, 0)
    return frame.set_index("metric")["value"]["jct_mean_s"]


def test_only_schedulers_that_stop_jobs_pay_for_restarts():
    for name in ("fifo", "fifo-backfill", "sjf"):
        assert mean_jct(name, 60) == mean_jct(name, 0)
    for name in ("srtf", "las"):
        assert mean_jct(name, 60) > mean_jct(name, 0)


def test_the_picture_says_that_its_jobs_are_made_up():
    figure = replayed(("fifo", "sjf"), nodes=20, restart_min=0, seed=1)
    assert figure.get_suptitle().startswith("STAND-IN DATA")
