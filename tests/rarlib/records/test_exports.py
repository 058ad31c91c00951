"""The exported trace has what its viewer needs."""

import json

from rarlib.records.perfetto import to_perfetto


def test_perfetto_events_have_the_fields_of_their_phase(record):
    """Viewers drop events without them in silence."""
    trace = json.loads(to_perfetto(record))
    assert trace["displayTimeUnit"] in ("ms", "ns")
    assert trace["otherData"] == {"scheduler": "srtf", "cluster": "2x2"}
    needed = {"X": {"ts", "dur", "tid", "cat"}, "C": {"ts", "args"}, "M": {"args"}}
    times = []
    for event in trace["traceEvents"]:
        assert {"name", "ph", "pid"} | needed[event["ph"]] <= event.keys()
        if event["ph"] != "M":
            assert isinstance(event["ts"], int)
            times.append(event["ts"])
    assert times == sorted(times)
