"""Holds what tasks share: scored options and their words, plans of studies, scores of items."""
