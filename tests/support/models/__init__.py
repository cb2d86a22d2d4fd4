"""Small models, and a stand-in for vLLM."""
