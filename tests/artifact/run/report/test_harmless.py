"""Pages of notebooks run nothing, whatever their cells and outputs hold, and still show text, tables and pictures."""

import re
from html.parser import HTMLParser

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from artifact.report.harmless import harmless
from artifact.report.notebook_pages import write_pages

ATTACKS = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT >",
    "<scr<script>x</script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<a href='java\tscript:alert(1)'>here</a>",
    "<a href='&#106;avascript:alert(1)'>here</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>here</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='data:text/html,<script>1</script>'></object><embed src=x>",
    "<form action=https://evil.example><input name=a><button>go</button></form>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'><base href=https://evil.example>",
    "<link rel=stylesheet href=https://evil.example/x.css><style>@import 'https://evil.example';</style>",
    "<p style='background:url(https://evil.example/x)'>text</p><img src=https://evil.example/x.png>",
    "<img src=\"data:image/svg+xml,<svg onload=alert(1)>\">",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
]  # fmt: skip


class Live(HTMLParser):
    """Collects whatever of a page could run, submit or load."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag in {"script", "iframe", "object", "embed", "form", "input", "button", "base", "link", "svg", "math"}:
            self.found.append(tag)
        for name, given in attributes:
            value = "".join((given or "").split()).lower()
            outside = name in ("src", "href", "action") and value.startswith(("javascript:", "http", "//", "data:"))
            picture = tag == "img" and value.startswith("data:image/") and ";base64," in value
            if name.startswith("on") or (outside and not picture) or "url(" in value:
                self.found.append((tag, name, value))


def live(page):
    parser = Live()
    parser.feed(page)
    return parser.found


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_runs_is_left(attack):
    assert live(harmless(attack)) == []
    assert live(harmless(f"<p>before {attack} after</p>")) == []


def test_pages_of_hostile_notebooks(tmp_path):
    """In Markdown, raw cells, names of outputs, every type of output, and the metadata that size a picture."""
    attack = "".join(ATTACKS)
    kinds = ("text/html", "text/markdown", "image/svg+xml", "application/javascript", "text/latex", "text/plain")
    outputs = [new_output("display_data", data={kind: attack}) for kind in kinds]
    outputs += [new_output("stream", name="stdout", text=attack)]
    sized = {"image/png": {"width": "1 onerror=alert(1)", "alt": '"><script>alert(1)</script>'}}
    outputs += [new_output("display_data", data={"image/png": "AAAA"}, metadata=sized)]
    outputs += [new_output("error", ename="E", evalue="v", traceback=[attack])]
    cells = [new_markdown_cell(f"# {attack}\n\n{attack}\n\n[a](javascript:alert(1))"), new_raw_cell(attack)]
    cells[1].metadata["raw_mimetype"] = "text/html"
    cells += [new_code_cell(f"show('''{attack}''')", outputs=outputs, metadata={"tags": ['x" onclick="alert(1)']})]
    nbformat.write(new_notebook(cells=cells), tmp_path / "a.ipynb")
    write_pages([tmp_path / "a.ipynb"])
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert live(page[page.index("<main>") :]) == []
    assert "default-src 'none'" in re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]


def test_tables_pictures_and_text_are_shown(tmp_path):
    table = pd.DataFrame({"scheduler": ["fifo", "a < b"], "JCT": [1.5, 2.5]})
    data = {"text/html": table._repr_html_(), "text/plain": str(table)}
    picture = '<img src="data:image/png;base64,iVBORw0KGgo=" alt="50 % &amp; &quot;more&quot;">'
    outputs = [new_output("execute_result", data=data), new_output("display_data", data={"text/html": picture})]
    outputs += [new_output("stream", name="stdout", text="\x1b[31mred\x1b[0m if a < b && c")]
    text = "## A heading\n\n> quoted `a < b`\n\n```python\nx = a < b\n```\n\n| a | b |\n|---|---|\n| 1 | $k < 2$ |\n"
    cells = [new_markdown_cell(text), new_code_cell("if a < b: pass", outputs=outputs)]
    nbformat.write(new_notebook(cells=cells), tmp_path / "a.ipynb")
    write_pages([tmp_path / "a.ipynb"])
    page = (tmp_path / "a.html").read_text(encoding="utf-8").partition("<main>")[2]
    assert page.count("<table") == 2 and page.count("<td") == 6
    assert "a &lt; b</td>" in page and "tbody tr" not in page  # the style of pandas is no text
    shown = re.search(r'<img [^>]*src="data:image/png;base64,iVBORw0KGgo="[^>]*>', page)
    assert 'alt="50 % &amp; &quot;more&quot;"' in shown[0]
    assert "<blockquote>" in page and 'alt="k &lt; 2"' in page and "<h2" in page
    assert 'class="ansi-red-fg"' in page and "&amp;&amp; c" in page
