"""Compares several models on the same items: paired differences, rankings, and the items that changed."""
