"""Chooses the questions of the matched regime of WorldSense, which come with the package."""
