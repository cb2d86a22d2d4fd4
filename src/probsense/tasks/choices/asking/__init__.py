"""Ways to ask a question with options, and to read what a model answers."""
