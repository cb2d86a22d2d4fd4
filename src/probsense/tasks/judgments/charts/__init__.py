"""Drawings of judgments, by their form, and the tables that only they need."""
