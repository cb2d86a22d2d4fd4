"""Tests of content keys and of responses as JSON: both are written as they were when the first stores were made."""

import hashlib
import json
from dataclasses import asdict, fields, replace

from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
    request_key,
    response_from_json,
    response_to_json,
)

words = st.text(max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)


def built(kind, **given):
    """Records of a kind, each of whose fields has any value of its type, or one that is given."""
    return st.builds(kind, **{field.name: given.get(field.name, ...) for field in fields(kind)})


requests = st.one_of(
    built(ScoreRequest),
    built(LabelRequest),
    built(SampleRequest, temperature=numbers, top_p=numbers, min_p=st.sampled_from([0.0, 0.5])),
)
pieces = built(TokenLogprobs, logprobs=st.lists(numbers, max_size=3).map(tuple))
scores = st.lists(built(OptionScore, option=pieces, suffix=pieces), max_size=3).map(tuple)
bounds = st.none() | st.dictionaries(words, st.tuples(numbers, numbers), max_size=2)
others = st.lists(st.tuples(words, numbers), max_size=2).map(tuple)
common = {"server": st.none() | st.dictionaries(words, words, max_size=2), "chains": st.just(())}
mass = st.dictionaries(words, numbers, max_size=3)
responses = st.one_of(
    built(ScoreResponse, options=scores, **common),
    built(LabelResponse, mass=mass, other=numbers, bounds=bounds, others=others, **common),
    built(SampleResponse, **common),
)


@given(requests, st.booleans())
def test_keys_are_hashes_of_all_fields(request, by_item):
    content = asdict(request) | {"kind": request.kind}
    if not by_item:
        del content["item"]
    # Requests without them keep the keys that they had before these were there.
    for late in ("turns", "system", "thought", "top_k", "min_p"):
        if not content.get(late, True):
            del content[late]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    expected = hashlib.sha256(text.encode()).hexdigest()[:32]
    assert request_key(request, by_item=by_item) == expected


@given(responses)
def test_responses_are_written_field_by_field_and_read_back(response):
    body = {name: value for name, value in asdict(response).items() if value is not None}
    for name in ("others", "unfinished", "chains"):
        if not body.get(name, True):
            del body[name]
    text = response_to_json(response)
    assert text == json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    again = response_from_json(response.kind, text)
    assert again == response
    assert again.server == response.server
    if not isinstance(response, SampleResponse):
        assert response_to_json(replace(response, chains=(response,))) == text
