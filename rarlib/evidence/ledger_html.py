"""The ledger as a piece of HTML: counts first, then every claim, paper by paper."""

from html import escape

import pandas as pd

from rarlib.evidence import ledger as ledgers
from rarlib.evidence.claims import NOT_RUN

_HEADS = ("id", "where", "claim", "published", "ours", "verdict", "why")


def page(ledger: pd.DataFrame) -> str:
    """HTML for the report's first page; styled by workflow/report/report.css.

    Args:
        ledger: as `ledger.read` gives it (all columns text).
    """
    parts = ['<div class="rarlib-ledger">', _standin(ledger), "<h2>Verdicts</h2>", _counts(ledgers.counts(ledger))]
    for paper in ledger["paper"].drop_duplicates():
        parts.append(_paper(paper, ledger[ledger["paper"] == paper]))
    return "\n".join([*parts, "</div>", ""])


def _standin(ledger: pd.DataFrame) -> str:
    served = int((ledger["standin"] == "True").sum())
    if not served:
        return ""
    return (
        f'<p class="standin"><b>Stand-in data:</b> {served} claims used numbers drawn from statistics of a trace.</p>'
    )


def _counts(counts: pd.DataFrame) -> str:
    head = "".join(f'<th class="number">{escape(name)}</th>' for name in counts.columns)
    rows = []
    for paper, row in counts.iterrows():
        cells = "".join(f'<td class="number">{value or "·"}</td>' for value in row)
        rows.append(f'<tr class="{escape(str(paper))}"><td>{escape(str(paper))}</td>{cells}</tr>')
    return f'<table class="counts"><tr><th>paper</th>{head}</tr>{"".join(rows)}</table>'


def _paper(paper: str, rows: pd.DataFrame) -> str:
    waiting = bool((rows["verdict"] == NOT_RUN).all())
    head = "".join(f'<th class="{"number" if h in ("published", "ours") else ""}">{h}</th>' for h in _HEADS)
    body = "\n".join(_claim(row) for _, row in rows.iterrows())
    state = "" if waiting else " open"
    return (
        f"<details{state}><summary>{escape(paper)}: {len(rows)} claims{', not yet run' if waiting else ''}</summary>"
        f"<table><tr>{head}</tr>\n{body}</table></details>"
    )


def _claim(row: "pd.Series[str]") -> str:
    kind = row["verdict"].replace(" ", "-")
    ours = " ± ".join(f"{float(row[c]):.4g}" for c in ("ours", "spread") if row[c])
    mark = " (stand-in)" if row["standin"] == "True" else ""
    cells = [
        ("id", row["published"]),
        ("", row["where"]),
        ("claim", row["statement"]),
        ("number", f"{row['value']} {row['unit']}".strip()),
        ("number", ours),
    ]
    told = "".join(f'<td class="{css}">{escape(text)}</td>' for css, text in cells)
    return (
        f'<tr>{told}<td><span class="verdict {kind}">{escape(row["verdict"])}</span></td>'
        f"<td>{escape(row['reason'] + mark)}</td></tr>"
    )
