"""Judgments of everyday statements: what a model agrees with, what it expects of people, and what people say."""
