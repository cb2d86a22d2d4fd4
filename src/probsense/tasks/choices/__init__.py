"""Questions with fixed answers that people chose: how near a model's distribution comes to theirs."""
