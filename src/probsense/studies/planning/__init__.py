"""Plans studies by simulation: how large they must be for an interval of a width, or to show a difference."""
