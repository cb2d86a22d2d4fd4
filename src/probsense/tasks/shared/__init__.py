"""Holds what tasks share: scored options and their words, scores of items."""
