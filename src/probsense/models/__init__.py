"""Backends, which give the answers."""
