"""Studies with people, and people who take part."""
