"""The answers of a model, taken out of their batches."""


def collect(batches):
    """The answers by the places of their requests; none comes twice."""
    pairs = [pair for batch in batches for pair in batch]
    assert len({place for place, _ in pairs}) == len(pairs)
    return dict(pairs)


def answers(batches):
    """The answers in the order of their requests; none is missing."""
    found = collect(batches)
    return [found[place] for place in range(len(found))]


def logprobs(responses):
    """All log-probabilities, in their order."""
    scores = [option for response in responses for option in response.options]
    return [value for one in scores for value in (*one.option.logprobs, *one.suffix.logprobs)]
