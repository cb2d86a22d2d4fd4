"""Measures the agreement of people and models on what is common sense, as individuals and as populations.

A function whose name begins with ``published_`` computes an estimate as Nguyen, Watts & Whiting (2026, PNAS Nexus
5(3) pgag029) did, with their rules for ties and missing answers. Prefer the function without that prefix.
"""
