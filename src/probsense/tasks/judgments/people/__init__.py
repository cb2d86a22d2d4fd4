"""People: their answers and who they are, their place beside models in a study, and people as plans imagine them."""
