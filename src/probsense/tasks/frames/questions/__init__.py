"""What was asked and answered: frames with answers of people, prompts, and files of answers of models."""
