"""HTML of executed notebooks without anything that runs: text, tables and pictures stay, scripts and events go.

A notebook's Markdown and outputs may hold what an input chose, such as the name of a job. Pages of notebooks need no
script at all, so whatever could run is removed from the finished page, and its head forbids the rest
(`Content-Security-Policy` in `notebook.html.j2`).
"""

import re

from bleach.css_sanitizer import CSSSanitizer
from bleach.sanitizer import Cleaner
from nbformat import NotebookNode

_TAGS = frozenset(
    re.findall(
        r"\w+",
        """a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5
        h6 hr i img ins kbd li ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u
        ul var""",
    )
)
_ATTRIBUTES = frozenset(
    re.findall(r"\w+", "alt border class colspan height id open role rowspan scope start style tabindex title width")
)
_STYLES = CSSSanitizer(
    allowed_css_properties=["background-color", "color", "font-style", "font-weight", "text-align", "vertical-align"]
)
_SHOWN = frozenset(
    ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg", "image/svg+xml")
)
_UNSHOWN = re.compile(r"<(script|style|iframe|template|noscript)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
"""Elements whose content is no text for a reader."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]*\Z")
_PATH = re.compile(r"(?!//)[^:\\]*\Z")


def harmless(body: str) -> str:
    """HTML in which nothing runs, submits or loads: other elements and attributes than those known are removed."""
    cleaner = Cleaner(
        tags=_TAGS,
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        strip=True,
        css_sanitizer=_STYLES,
    )
    # In single quotes, bleach escapes `&` twice.
    cleaner.serializer.use_best_quote_char = False
    return str(cleaner.clean(_UNSHOWN.sub("", body)))


def shown_only(notebook: NotebookNode) -> NotebookNode:
    """The notebook with outputs of the types that a page shows; controls and scripts are no such."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                output["data"] = {kind: content for kind, content in output["data"].items() if kind in _SHOWN}
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if output.get("data") != {}]
    return notebook


def _allowed(tag: str, name: str, value: str) -> bool:
    if tag == "a" and name == "href":
        return not value.lower().lstrip().startswith("data:")  # bleach tests the other schemes
    if tag == "img" and name == "src":
        return bool(_PICTURE.match(value) or _PATH.match(value))
    return name in _ATTRIBUTES or name.startswith("aria-")
