from pathlib import Path

import pandas as pd
import pytest

from rarlib.model.cluster import Cluster
from rarlib.traces.audit import audit
from rarlib.traces.load import Trace, load_trace

TEXT = "job_id,submit_s,gpus,duration_s,user\nb,100,4,50,u\na,0,1,100.5,\nc,100,16,0,u\n"


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    (tmp_path / "t.csv").write_text(TEXT)
    return load_trace(tmp_path / "t.csv")


def _value(frame: pd.DataFrame, quantity: str) -> float:
    return float(frame.loc[frame["quantity"] == quantity, "value"].iloc[0])


def test_facts_by_hand(trace: Trace) -> None:
    # 1 x 100.5 + 4 x 50 + 16 x 0 = 300.5 GPU s over 100 s on 8 GPUs.
    frame = audit(trace, Cluster.parse("2x4"))
    assert _value(frame, "GPU time") == pytest.approx(300.5 / 3600)
    assert _value(frame, "offered load on 2x4") == pytest.approx(300.5 / 800)
    assert _value(frame, "jobs larger than 2x4") == 1
    assert _value(frame, "share of GPU time, 4 GPU") == pytest.approx(200 / 300.5)
    assert _value(frame, "share of jobs, 16 GPU") == pytest.approx(1 / 3)
    assert _value(frame, "span") == 100
    assert (_value(frame, "rows read"), _value(frame, "rows kept")) == (3, 3)


def test_every_row_is_accounted_for(trace: Trace) -> None:
    # read = kept + dropped, reason by reason, whatever was cut afterwards.
    facts = {**trace.provenance, "read": 10, "kept": 3, "dropped": {"CPU only": 5, "never ran": 2}}
    frame = audit(Trace(trace.jobs.take(slice(0, 2)), facts))
    dropped = frame[frame["quantity"].str.startswith("rows dropped")]["value"].sum()
    assert _value(frame, "rows read") == _value(frame, "rows kept") + dropped
    assert _value(frame, "jobs cut by limit") == 1
