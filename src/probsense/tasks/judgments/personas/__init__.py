"""Personas, as whom a model answers: a simulated population beside people."""
