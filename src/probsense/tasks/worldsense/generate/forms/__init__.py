"""The questions that can be matched: their stories and claims, what they show, and how they are chosen and drawn."""
