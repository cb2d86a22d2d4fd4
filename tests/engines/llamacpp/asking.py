"""What is asked of llama.cpp and of transformers alike."""

from support.models.answers import answers

STORY = "Tom stands left of Ann. Ann stands left of Bo.\n\nIs it TRUE or FALSE that Tom stands left of {}?"
TRUTH = (("true", ("TRUE",)), ("false", ("FALSE",)))

PLAIN = '{"top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1}'
"""Unless told otherwise, the server draws texts from another distribution than the model's."""


def ask(verb, *requests):
    """Return the answers to requests, in their order."""
    return answers(verb(requests))
