"""Language models of Hugging Face: ``hf:FOLDER``, ``hf:FILE.gguf``, ``hf:OWNER/NAME``."""
