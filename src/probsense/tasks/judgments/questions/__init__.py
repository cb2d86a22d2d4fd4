"""What models are asked, and what they answer: statements, wordings, texts and first words, ratings and raw results."""
