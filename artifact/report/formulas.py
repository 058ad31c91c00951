"""TeX formulas of a page as small pictures, because pages work offline and contain no script that would draw them."""

import base64
import io
import re
from html import escape, unescape

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import math_to_image

_NO_TEXT = re.compile(r"(<(?:pre|code|style)\b.*?</(?:pre|code|style)>|<[^>]+>)", re.DOTALL)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
_BRACE = re.compile(r"\\underbrace\{(.+?)\}_\{(\\text\{.+?\})\}")
_META = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>", re.DOTALL)
_FONT = FontProperties(size=12.5, math_fontfamily="stix")


def draw_formulas(body: str) -> str:
    """HTML with formulas as pictures, their TeX as alt text. A formula that cannot be drawn is shown as TeX."""
    parts = _NO_TEXT.split(body)
    # Text and tags alternate.
    parts[::2] = [_FORMULA.sub(_picture, text) for text in parts[::2]]
    return "".join(parts)


def _picture(found: re.Match[str]) -> str:
    block, inline = found.groups()
    tex = " ".join(unescape(block or inline).split())
    # mathtext knows no underbrace, but it can set text below a term.
    known = _BRACE.sub(r"\\underset{\2}{\1}", tex)
    buffer = io.BytesIO()
    try:
        with mpl.rc_context({"svg.hashsalt": "rarlib", "svg.fonttype": "path", "savefig.facecolor": "none"}):
            depth = math_to_image(f"${known}$", buffer, _FONT, format="svg")
    except ValueError:
        return f"<code>{escape(tex)}</code>"
    image = base64.b64encode(_META.sub("", buffer.getvalue().decode()).encode()).decode()
    style = "display:block;margin:0.8rem 0" if block else f"display:inline;vertical-align:-{depth:g}pt"
    return f'<img class="formula" src="data:image/svg+xml;base64,{image}" alt="{escape(tex)}" style="{style}">'
