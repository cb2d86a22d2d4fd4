"""Measures pq common sense: the share q of claims that is common to a share p of people."""
