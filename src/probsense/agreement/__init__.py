"""Agreement of people and models on what is common sense: as individuals, and as populations.

Names that begin with ``published_`` compute a figure as Nguyen, Watts & Whiting (2026, PNAS Nexus 5(3) pgag029) did,
with their rules for ties and missing answers; the same name without it is the one to prefer.
"""
