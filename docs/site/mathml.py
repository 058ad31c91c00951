"""Equations as MathML, which browsers draw by themselves: Sphinx's usual way fetches a script from elsewhere."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_drawn(node, "inline"))
    raise nodes.SkipNode


def _display(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f"<div>{_drawn(node, 'block')}</div>\n")
    raise nodes.SkipNode


def _drawn(node: nodes.Element, display: str) -> str:
    return str(convert(node.astext().strip(), display=display))


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx find the renderer as `mathml`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
