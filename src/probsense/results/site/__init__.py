"""The site: static pages of results from many stores, with leaderboards, profiles of models and data to download."""
