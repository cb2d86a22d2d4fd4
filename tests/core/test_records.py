"""Tests of content keys and of responses as JSON: both are written as they were when the first stores were made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    Thought,
    TokenLogprobs,
    request_key,
    response_from_json,
    response_to_json,
)

words = st.text(st.characters(codec="utf-8"), max_size=8)
several = st.lists(words, max_size=3).map(tuple)
numbers = st.floats(allow_nan=False, allow_infinity=False)
labels = st.lists(st.tuples(words, several), max_size=3).map(tuple)
turns = st.lists(st.tuples(words, words), max_size=2).map(tuple)
thoughts = st.none() | st.builds(Thought, words, words, words)
requests = st.one_of(
    st.builds(ScoreRequest, words, several, words, words, system=words, thought=thoughts),
    st.builds(LabelRequest, words, labels, words, system=words, thought=thoughts),
    st.builds(
        SampleRequest,
        words,
        st.integers(1, 9),
        turns=turns,
        system=words,
        stop=several,
        item=words,
        thought=thoughts,
        top_k=st.integers(0, 2),
        min_p=st.sampled_from([0.0, 0.5]),
    ),
)
server = st.none() | st.dictionaries(words, words, max_size=2)
pieces = st.builds(
    TokenLogprobs, st.lists(numbers, max_size=3).map(tuple), several, st.integers(0, 9), st.integers(0, 9)
)
responses = st.one_of(
    st.builds(ScoreResponse, st.lists(st.builds(OptionScore, pieces, pieces)).map(tuple), server),
    st.builds(
        LabelResponse,
        st.dictionaries(words, numbers, max_size=3),
        numbers,
        bounds=st.none() | st.dictionaries(words, st.tuples(numbers, numbers), min_size=1, max_size=2),
        others=st.lists(st.tuples(words, numbers), max_size=2).map(tuple),
        server=server,
    ),
    st.builds(
        SampleResponse,
        several,
        server,
        st.none() | st.lists(st.booleans()).map(tuple),
        sizes=st.none() | st.lists(st.integers(0, 9)).map(tuple),
    ),
)


@given(requests, st.booleans())
def test_keys_are_hashes_of_all_fields(request: Request, by_item: bool) -> None:
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
def test_responses_are_written_field_by_field_and_read_back(response: Response) -> None:
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
        assert response_to_json(replace(response, chains=(response,))) == text  # type: ignore[arg-type]
