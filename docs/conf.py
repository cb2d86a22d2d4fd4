"""Sphinx configuration."""

project = "ProbSense"
author = "The ProbSense authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "ProbSense"
