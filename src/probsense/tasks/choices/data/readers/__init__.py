"""Readers of published files, each a function from a file to questions."""
