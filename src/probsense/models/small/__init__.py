"""Models that need no hub and no server: at random, from a file of answers, and out of a package."""
