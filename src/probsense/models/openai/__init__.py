"""Models behind an OpenAI-compatible server: ``openai:MODEL``."""
