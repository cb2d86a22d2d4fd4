"""Runs our scorer and our tasks inside lm-evaluation-harness, and reads its samples."""
