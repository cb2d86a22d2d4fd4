"""What models share that run a network in this process: tokens, next-token distributions, options, labels and texts."""
