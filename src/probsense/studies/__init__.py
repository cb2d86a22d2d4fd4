"""Prepares studies of people: how many are needed, and what they answer."""
