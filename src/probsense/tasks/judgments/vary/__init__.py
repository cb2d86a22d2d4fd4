"""Ways to ask the same questions, and how much of the answers is the prompt's."""
