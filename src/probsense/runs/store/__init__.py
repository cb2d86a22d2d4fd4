"""Keeps answers and runs in one SQLite file, finds them again, and puts stores together."""
