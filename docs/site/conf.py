"""Settings of Sphinx for the manual; `build.py` calls it."""

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "rarlib"
author = "The authors of rarlib"
root_doc = "docs/README"
extensions = ["myst_nb", "mathml"]
html_math_renderer = "mathml"

# Headings have the anchors that code-hosting pages give them, so links hold on both.
myst_heading_anchors = 6
myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True

# Tutorials arrive executed. Widgets would be fetched from elsewhere.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True

html_theme = "furo"
html_title = "rarlib"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "redirect.html"}
templates_path = ["."]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": False}


def setup(app):
    """Tables of values are plain text."""
    app.add_lexer("csv", TextLexer)
