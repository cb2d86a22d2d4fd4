"""Instruments: each knows its files, its questions and its measures."""
