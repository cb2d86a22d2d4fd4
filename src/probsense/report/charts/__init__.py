"""Charts as Vega-Lite specifications, each made from one tidy table, for a screen, a phone and a paper."""
