"""Asks models the questions of tasks: what to ask, in which rounds, at what cost."""
