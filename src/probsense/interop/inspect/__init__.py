"""Runs our models and our tasks inside inspect, and reads its logs."""
