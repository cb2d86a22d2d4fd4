"""Results of other programs, and of this one, in the shape in which they can be compared."""
