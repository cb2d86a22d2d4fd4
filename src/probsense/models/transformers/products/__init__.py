"""Matrix products by oneDNN in place of PyTorch's own, where this processor is faster so."""
