"""Servers that stand in for endpoints, some of them hostile."""
