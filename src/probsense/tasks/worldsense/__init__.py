"""WorldSense: grounded reasoning over small invented worlds (Benchekroun et al. 2023, arXiv 2311.15930)."""
