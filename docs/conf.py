"""Sphinx configuration."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

project = "ProbSense"
author = "The ProbSense authors"
copyright = "The ProbSense authors; MIT licence"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "accessible", "commands", "words"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nb_execution_mode = "force"  # the notebook is kept without outputs
nb_execution_in_temp = True
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_output_stderr = "remove"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # "…" in an example of JSON or YAML
autodoc_typehints = "none"  # the docstrings have types, shapes and units
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False  # a word in a type, such as "shape (n,)", is not a name to link
napoleon_use_rtype = False
html_theme = "furo"
html_title = "ProbSense"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}


COLON = "\N{MODIFIER LETTER COLON}"


def _before_napoleon(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking the words before a colon in the line of an attribute for its type."""
    if what in ("attribute", "data", "property") and lines:
        lines[0] = lines[0].replace(":", COLON)
    if name == "probsense":
        lines[:] = []  # the page has its own introduction


def _after_napoleon(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape bars, which stand for absolute values or alternatives, never for a substitution."""
    lines[:] = ["".join(map(_escaped, re.split("(``.*?``)", line))).replace(COLON, ":") for line in lines]


def _escaped(part: str) -> str:
    return part if part.startswith("``") else part.replace("|", r"\|")


def _skip_fields(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Skip the fields of a named tuple: its docstring describes them."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def setup(app: Any) -> None:
    """Connect the functions to Sphinx, around napoleon, which has the priority 500."""
    app.connect("autodoc-process-docstring", _before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=600)
    app.connect("autodoc-skip-member", _skip_fields)
