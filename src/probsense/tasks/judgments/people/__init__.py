"""People: their answers and who they are, and their place beside models in a study."""
