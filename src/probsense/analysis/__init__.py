"""Computes estimates and comparisons: pure functions of arrays and tables, which read no files and ask no models."""
