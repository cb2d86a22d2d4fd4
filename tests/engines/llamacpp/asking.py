"""What is asked of llama.cpp and of transformers alike."""

STORY = "Tom stands left of Ann. Ann stands left of Bo.\n\nIs it TRUE or FALSE that Tom stands left of {}?"
TRUTH = (("true", ("TRUE",)), ("false", ("FALSE",)))


def ask(verb, *requests):
    """Return the answers to requests, in their order."""
    found = {i: answer for batch in verb(requests) for i, answer in batch}
    assert len(found) == len(requests)
    return [found[i] for i in range(len(requests))]
