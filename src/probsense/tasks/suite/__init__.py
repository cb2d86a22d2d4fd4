"""Suites: a prompt and contexts of the user's own, and a probability distribution over the queries of each context."""
