"""Questions with options: how they are read with people's answers, put to a model, and answered by it."""
