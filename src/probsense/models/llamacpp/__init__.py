"""Language models in the format of llama.cpp, in this process: ``gguf:FILE``."""
