"""Estimates quantities with their uncertainty, and tests differences."""
