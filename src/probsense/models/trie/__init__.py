"""The prefix-sharing scorer: every shared prefix of a list of sequences is computed once."""
