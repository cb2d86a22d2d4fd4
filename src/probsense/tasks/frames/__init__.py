"""Open questions about everyday events: what people answer, what a model answers, and how alike the two are."""
