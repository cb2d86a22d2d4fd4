"""The charts of frames, and the tables behind them."""
