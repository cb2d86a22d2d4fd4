"""What models share whose network is at hand: tokens, next-token distributions, options, labels and texts."""
