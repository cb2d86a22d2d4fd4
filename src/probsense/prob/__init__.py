"""Computes with probability distributions."""
