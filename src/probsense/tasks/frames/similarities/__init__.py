"""How alike answers are: similarities and embeddings by name, and WordNet."""
