"""The prefix-sharing scorer, which computes every shared prefix of a list of sequences once."""
