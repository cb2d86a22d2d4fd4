"""Several models on the same items: paired differences, rankings, and the items that changed."""
