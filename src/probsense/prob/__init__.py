"""Pure maths of distributions."""
