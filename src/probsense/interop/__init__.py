"""Reads results of other programs, and of this one, so that they can be compared."""
