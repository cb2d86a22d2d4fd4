"""A model that gives the log-likelihood of an option and not those of its tokens, wherever tokens are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.records import Failure, ScoreRequest, ScoreResponse, response_from_json, response_to_json
from probsense.models.base import Batch
from probsense.models.doctor import sample_tokens
from probsense.models.small.random import RandomModel
from probsense.results.items.views import item_views
from probsense.results.tables import distribution_table
from probsense.runs.score import score_many
from probsense.runs.score_files import as_csv


class SumsAlone(RandomModel):
    """The guesser, which keeps its tokens to itself."""

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        for batch in super().score(requests):
            yield [(i, _without_tokens(response)) for i, response in batch]


def _without_tokens(response: ScoreResponse | Failure) -> ScoreResponse | Failure:
    assert isinstance(response, ScoreResponse)
    options = (
        replace(one, option=replace(one.option, tokens=()), suffix=replace(one.suffix, tokens=()))
        for one in response.options
    )
    return ScoreResponse(tuple(options))


MODEL = SumsAlone("sums", 1)
REQUEST = ScoreRequest("The soup is", (" hot", " cold"), " today.", item="soup")


def test_a_store_keeps_what_is_not_known() -> None:
    ((_, response),) = next(MODEL.score([REQUEST]))
    assert isinstance(response, ScoreResponse)
    assert response.options[0].option.only_sum
    assert response_from_json("score", response_to_json(response)) == response


def test_distributions_leave_tokens_out() -> None:
    (found,) = score_many(MODEL, [REQUEST])
    assert found.tokens == (0, 0)
    assert "token" not in repr(found)
    assert "token" not in found.views()
    assert distribution_table(found).columns[-1] == "Tokens"
    assert {row[-1] for row in distribution_table(found).rows} == {"–"}
    header, *rows = as_csv([found], ["sum", "token"]).splitlines()
    assert header == "id,option,logprob,tokens,p.sum"
    assert all(row.split(",")[3] == "" for row in rows)


def test_a_task_says_which_rules_there_are() -> None:
    run = ps.evaluate("winogrande", MODEL, limit=4, rule="token", store=None, quiet=True)
    with pytest.raises(
        InputError, match=r"no view 'token' \(expected one of sum, char, byte, partial, full\)"
    ):
        run.table()


def test_pages_and_the_doctor_show_no_tokens() -> None:
    run = ps.evaluate("winogrande", MODEL, limit=4, store=None, quiet=True)
    replies = item_views([run]).replies[0]
    assert all(reply is not None and reply.shares and not reply.tokens for reply in replies)
    assert sample_tokens(MODEL) == []
