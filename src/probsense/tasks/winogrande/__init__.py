"""Winograd schemas: which option fits the blank of a sentence."""
