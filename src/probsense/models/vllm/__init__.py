"""Language models in vLLM, in process."""
