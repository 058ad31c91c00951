"""The paragraph of each paper, from ledgers by hand: who comes first, the score, where the misses are."""

import pandas as pd
import pytest

from artifact.ledger.findings import findings
from artifact.ledger.ledger import CLAIM_COLUMNS


def ledger(rows, paper="gadget"):
    """Rows of (statement, published, ours, role, verdict); places are Fig. 4."""
    names = ["statement", "value", "ours", "role", "verdict"]
    frame = pd.DataFrame(rows, columns=names).astype(str).reindex(columns=CLAIM_COLUMNS, fill_value="")
    return frame.assign(paper=paper, where="Fig. 4", trust="memory")


def utilities(gadget, drf, fifo):
    """The paper: GADGET 30, DRF 20, FIFO 10."""
    ours = {"GADGET": gadget, "DRF": drf, "FIFO": fifo}
    published = {"GADGET": 30, "DRF": 20, "FIFO": 10}
    return [
        (f"{who}: utility of 40 jobs", published[who], value, "tested", "reproduced") for who, value in ours.items()
    ]


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        ((30, 20, 10), "**GADGET comes first** in the one comparison"),
        ((20, 20, 10), "**GADGET comes first** in the one comparison"),
        ((19, 20, 10), "**DRF, not GADGET, comes first** in the one comparison"),
    ],
)
def test_the_winner_is_named_first(ours, said):
    (found,) = findings(ledger(utilities(*ours)))
    assert found.text.startswith(said)
    assert "**the run reproduces 3 of 3 tested numbers and statements**" in found.text


def test_where_less_is_better_the_least_wins_and_losers_say_nothing():
    """A comparison that the paper does not give to its own scheduler names no winner; nor does one without others."""
    rows = [("GADGET: makespan", 1, 5, "tested", "wrong order"), ("DRF: makespan", 2, 4, "tested", "wrong order")]
    assert findings(ledger(rows))[0].text.startswith("**DRF, not GADGET, comes first**")
    lost = [
        ("GADGET: rank", 2, 5, "tested", "x"),
        ("DRF: rank", 1, 4, "tested", "x"),
        ("FIFO: rank", 3, 4, "tested", "x"),
    ]
    for rows in (lost, [("GADGET: jobs", 4, 4, "tested", "reproduced")]):
        assert findings(ledger(rows))[0].text.startswith("Without any fit")
