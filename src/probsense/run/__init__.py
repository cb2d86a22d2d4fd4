"""Where tasks and models meet: plan, execute, store, resume."""
