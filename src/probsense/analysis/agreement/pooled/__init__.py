"""Pools what is known of statements and people: a crossed logistic model of their answers."""
