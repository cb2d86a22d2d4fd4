"""Pools of workers that each have a model loaded, on one machine or on a cluster."""
