"""Estimates of how far a model's answers are from people's."""
