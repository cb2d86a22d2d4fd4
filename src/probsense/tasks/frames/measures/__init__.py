"""What answers to frames are worth: compared with those of people, by probabilities, or as published."""
