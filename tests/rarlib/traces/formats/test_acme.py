from rarlib.traces.formats import acme

HEAD = "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"


def _row(name: str, gpus: int, times: tuple[str, str, str], zone: str, duration: int, state: str = "COMPLETED") -> str:
    submit, start, end = (f"2023-06-01 {t}{zone}" if t else "" for t in times)
    return f"{name},u1,1,{gpus},8,Pretrain,{state},{submit},{start},{end},{duration},10,0\n"


def _read(*rows: str) -> acme.ParsedTrace:
    return acme.read((HEAD + "".join(rows)).encode(), "trace_kalos.csv")


def test_running_time_is_end_minus_start_even_where_duration_counts_the_queue() -> None:
    # In Kalos' samples duration = end - submit (18 = 8 + 10 queued); taking it would run jobs too long.
    reading = _read(_row("a", 8, ("10:00:00", "10:00:10", "10:00:18"), "+00:00", 18))
    assert reading.jobs.duration_s.tolist() == [8.0]
    assert "differs in 1 of 1" in reading.note


def test_zones_are_respected() -> None:
    # Seren's times carry +08:00: 18:00 there is 10:00 UTC, an hour before 11:00+00:00.
    reading = _read(
        _row("late", 1, ("11:00:00", "11:00:00", "11:00:05"), "+00:00", 5),
        _row("early", 1, ("18:00:00", "18:00:00", "18:00:05"), "+08:00", 5),
    )
    assert reading.jobs.job_id.tolist() == ["early", "late"]
    assert reading.jobs.submit_s.tolist() == [0, 3600]
    assert reading.jobs.application.tolist() == ["Pretrain", "Pretrain"]
    assert reading.note == ""


def test_cpu_jobs_and_jobs_that_never_ran_are_dropped() -> None:
    reading = _read(
        _row("cpu", 0, ("10:00:00", "10:00:10", "10:00:18"), "+00:00", 8),
        _row("never", 1, ("10:00:00", "", ""), "+00:00", 0, "CANCELLED"),
        _row("ok", 1, ("10:00:00", "10:00:10", "10:00:18"), "+00:00", 8, "CANCELLED"),
    )
    assert reading.dropped == {"CPU only (gpu_num 0)": 1, "never started or ended": 1}
    assert reading.jobs.status.tolist() == ["cancelled"]
