"""Which of two things is heavier? An example of a task and a model of one's own."""
