"""Questions and people's answers, read from tables and from published files."""
