"""Language models of Hugging Face: ``hf:FOLDER``, ``hf:OWNER/NAME``."""
