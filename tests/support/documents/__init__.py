"""The pages of the documentation as files, commands and outputs."""
