"""pq common sense: which share q of claims is common to which share p of people."""
