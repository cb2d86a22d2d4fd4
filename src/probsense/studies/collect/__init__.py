"""Collects people's answers: serves a study's pages, stores what people answer, and exports it for the tasks."""
