"""Sphinx configuration."""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

project = "ProbSense"
author = "The ProbSense authors"
copyright = "The ProbSense authors; MIT licence"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "commands"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # of "…" in an example of JSON or YAML
autodoc_typehints = "none"  # the docstrings say types, shapes and units
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False  # a word of a type, such as "shape (n,)", is no name to link
napoleon_use_rtype = False
html_theme = "furo"
html_title = "ProbSense"
html_static_path: list[str] = []


COLON = "\N{MODIFIER LETTER COLON}"


def _before_napoleon(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """What stands before a colon in the line of an attribute is a part of its sentence, not its type."""
    if what in ("attribute", "data", "property") and lines:
        lines[0] = lines[0].replace(":", COLON)
    if name == "probsense":
        lines[:] = []  # the page says it better


def _after_napoleon(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """A bar is that of an absolute value or of alternatives, never of a substitution."""
    lines[:] = ["".join(map(_escaped, re.split("(``.*?``)", line))).replace(COLON, ":") for line in lines]


def _escaped(part: str) -> str:
    return part if part.startswith("``") else part.replace("|", r"\|")


def _skip_fields(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """The fields of a named tuple say nothing of themselves: its docstring does."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def setup(app: Any) -> None:
    """Called by Sphinx; napoleon has the priority 500."""
    app.connect("autodoc-process-docstring", _before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=600)
    app.connect("autodoc-skip-member", _skip_fields)
