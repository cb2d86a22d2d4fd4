"""What was asked, kept so that it can be asked again."""
