"""ProbSense measures the common sense of language models as probability distributions, and sets them against people."""
