"""What stands around a prompt, and around the answer to it."""
