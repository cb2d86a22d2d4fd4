"""How estimates are shown, for every task alike: measures and their words, tables, charts."""
