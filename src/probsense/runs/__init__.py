"""Brings tasks and models together: plan, execute, store, resume."""
