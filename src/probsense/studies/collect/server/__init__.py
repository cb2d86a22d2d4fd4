"""The study over HTTP."""
