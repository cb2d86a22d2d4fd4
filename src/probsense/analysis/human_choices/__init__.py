"""Compares how models and people answer questions with fixed options, honest about how few people were asked."""
