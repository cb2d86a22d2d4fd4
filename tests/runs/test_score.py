"""Scores without a task, from models whose probabilities are written down, or that give sums alone."""

from __future__ import annotations

import bz2
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import probsense as ps
from probsense.analysis.distributions.option_views import RULES, TEXT_RULES
from probsense.core.errors import InputError, ModelError
from probsense.core.records import OptionScore, ScoreRequest, ScoreResponse, TokenLogprobs
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import RandomModel
from probsense.results.tables import distribution_table
from probsense.runs.score import notes, options_table, read_requests, score_many

SKY = {
    ("The sky is", " blue"): (0.0923,),
    ("The sky is", " yellow-pink"): (0.000664, 0.003448, 0.001159, 0.9648),
    ("Answer:", " blue"): (0.01,),
    ("Answer:", " yellow-pink"): (0.0001, 0.003448, 0.001159, 0.9648),
    (" blue", "."): (0.2,),
    (" yellow-pink", "."): (0.4,),
}
"""Recorded token probabilities of options after prefixes, and of suffixes after options."""


def tokens(key: tuple[str, str]) -> TokenLogprobs:
    ps, text = SKY[key] if key[1] else (), key[1]
    return TokenLogprobs(tuple(map(math.log, ps)), ("t",) * len(ps), len(text), len(text.encode()))


@dataclass
class Recorded:
    """Answers from the table, the last first; ``spoil`` changes them on the way out."""

    name: str = "sky:"
    spoil: Callable[[ScoreResponse], ScoreResponse] = lambda response: response
    capabilities: Capabilities = field(default=Capabilities(score=True))
    asked: list[ScoreRequest] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        self.asked += requests
        for i, request in reversed(list(enumerate(requests))):
            scored = tuple(
                OptionScore(
                    tokens((request.prefix, option)), tokens((option, request.suffix)), option == " blue"
                )
                for option in request.options
            )
            yield [(i, self.spoil(ScoreResponse(scored)))]


OPTIONS = [" blue", " yellow-pink"]


def test_the_worked_example_of_the_specification():
    found = ps.score(Recorded(), "The sky is", OPTIONS)
    assert (found.best, found.tokens) == (" blue", (1, 4))
    odds = 0.0923 / (0.000664 * 0.003448 * 0.001159 * 0.9648)
    assert found.margin == pytest.approx(math.log(odds), abs=1e-12)
    mean = ps.score(Recorded(), "The sky is", OPTIONS, rule="mean_prob")
    assert mean.best == " yellow-pink"
    assert mean.response == found.response


def test_every_view_comes_from_one_pass():
    model = Recorded()
    found = ps.score(model, "The sky is", OPTIONS, suffix=".", neutral="Answer:")
    assert tuple(found.views()) == RULES
    assert found.views()["partial"] == pytest.approx([1 / 3, 2 / 3], abs=1e-12)
    pmi = [0.0923 / 0.01, 0.000664 / 0.0001]
    assert found.views()["pmi"] == pytest.approx([x / sum(pmi) for x in pmi], abs=1e-12)
    assert model.asked == [
        ScoreRequest("The sky is", tuple(OPTIONS), "."),
        ScoreRequest("Answer:", tuple(OPTIONS)),
    ]
    assert tuple(ps.score(Recorded(), "The sky is", OPTIONS).views()) == tuple(TEXT_RULES)


def test_many_prefixes_keep_their_order_and_are_asked_in_one_call():
    model, seen = Recorded(), []
    requests = [ScoreRequest(prefix, tuple(OPTIONS)) for prefix in ("The sky is", "Answer:", "The sky is")]
    found = ps.score_many(model, requests, progress=lambda done, total: seen.append((done, total)))
    assert [one.request.prefix for one in found] == ["The sky is", "Answer:", "The sky is"]
    assert found[0] == found[2] != found[1]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert ps.score_many(model, []) == []


def test_notes_tell_of_near_ties_and_of_tokens_across_a_join():
    def even(response: ScoreResponse) -> ScoreResponse:
        return ScoreResponse((response.options[1],) * 2)

    tied = ps.score(Recorded(spoil=even), "The sky is", OPTIONS)
    clear = ps.score(Recorded(), "The sky is", OPTIONS)
    assert tied.best == " blue"
    assert tied.ties() == ["sum"]
    assert tied.ties(RULES) == list(TEXT_RULES)
    assert notes([tied]) == ["near-tie under sum: the first of the best options counts"]
    assert clear.straddling() == [" blue"]
    (across,) = notes([clear])
    assert across.startswith("a token spans a join of prefix, option and suffix in 1 option;")
    assert "1 of 2 prefixes" in notes([tied, clear], RULES)[0]


BAD = {
    "no options": (("a", []), {}, "no options"),
    "one text for options": (("a", "yes"), {}, "several texts"),
    "an empty option": (("a", ["x", ""]), {}, "empty"),
    "an option twice": (("a", ["x", "y", "x"]), {}, "'x' is given twice"),
    "an option that is a number": (("a", [1, 2]), {}, "1 is not a text"),
    "a prefix that is none": ((None, ["x"]), {}, "None is not a text"),
    "a half character": (("a\ud800", ["x"]), {}, "not Unicode"),
    "an unknown rule": (("a", ["x"]), {"rule": "best"}, "no such rule"),
    "partial without a suffix": (("a", ["x"]), {"rule": "partial"}, "a suffix"),
    "pmi without a neutral prefix": (("a", ["x"]), {"rule": "pmi"}, "neutral prefix"),
    "temperature nought": (("a", ["x"]), {"temperature": 0}, "above 0"),
    "temperature NaN": (("a", ["x"]), {"temperature": math.nan}, "above 0"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_requests_are_refused_before_a_model_is_loaded(fault):
    words, options, part = BAD[fault]
    with pytest.raises(InputError, match=part):
        ps.score("nosuch:model", *words, **options)


NOTHING = TokenLogprobs((), (), 0, 0)
UNKNOWN = TokenLogprobs((math.nan,), ("t",), 1, 1)


@pytest.mark.parametrize("options", [1 * (UNKNOWN,), 2 * (NOTHING,), 2 * (UNKNOWN,)])
def test_an_answer_that_is_none_is_an_error(options):
    answer = ScoreResponse(tuple(OptionScore(one, NOTHING) for one in options))
    with pytest.raises(ModelError, match="does not fit the score request"):
        ps.score(Recorded(spoil=lambda response: answer), "The sky is", OPTIONS)


def test_distributions_leave_tokens_out():
    def sums(response: ScoreResponse) -> ScoreResponse:
        return ScoreResponse(
            tuple(replace(one, option=replace(one.option, tokens=())) for one in response.options)
        )

    found = ps.score(Recorded(spoil=sums), "The sky is", OPTIONS)
    assert found.tokens == (0, 0)
    assert "token" not in found.views()
    assert distribution_table(found).columns[-1] == "Tokens"
    assert {row[-1] for row in distribution_table(found).rows} == {"–"}
    table = options_table([found], ["sum", "token"])
    assert table.columns == ["id", "option", "logprob", "tokens", "p.sum"]
    assert table["tokens"].null_count() == len(found.options)


REQUESTS = [
    ScoreRequest("The sky is", (" blue", " yellow-\npink"), ".", item="x"),
    ScoreRequest(' a "b",', (" c", " d", "é"), "", item="2"),
]
ENTRIES = [
    {"id": "x", "prefix": "The sky is", "options": [" blue", " yellow-\npink"], "suffix": "."},
    {"prefix": ' a "b",', "options": [" c", " d", "é"], "comment": 5},
]
CSV = (
    "id,prefix,option1,option2,option10,suffix,comment\r\n"
    'x,The sky is, blue," yellow-\npink",,.,\r\n'
    '2," a ""b"",", c, d,é,,5\r\n'
)


@pytest.mark.parametrize("name", ["in.jsonl", "in.json", "in.csv", "in.jsonl.bz2", "in.csv.bz2", "in"])
def test_every_format_reads_the_same(tmp_path, name):
    texts = {
        ".csv": "\ufeff" + CSV,
        ".json": json.dumps(ENTRIES),
    }
    text = texts.get(Path(name.removesuffix(".bz2")).suffix, "\n\n".join(map(json.dumps, ENTRIES)))
    path = tmp_path / name
    path.write_bytes(bz2.compress(text.encode()) if name.endswith("bz2") else text.encode())
    found = read_requests(path)
    assert found == REQUESTS
    assert [request.item for request in found] == ["x", "2"]


BAD_FILES = {
    "no such file": ("", b"", "no such file"),
    "empty": ("a.jsonl", b"", "nothing to score"),
    "header alone": ("a.csv", b"prefix,option1\n", "nothing to score"),
    "malformed line": ("a.jsonl", b'{"prefix": "a", "options": ["b"]}\n{"prefix"\n', "line 2"),
    "an object": ("a.json", b'{"prefix": "a"}', "a list of"),
    "csv not UTF-8": ("a.csv", b"prefix,option1\n\xff\0,\xff\n", "UTF-8"),
    "no prefix": ("a.jsonl", b'{"options": ["b"]}', "line 1: lacks the key 'prefix'"),
    "no options": ("a.json", b'[{"prefix": "a"}]', "entry 1: lacks the key 'options'"),
    "options as text": ("a.jsonl", b'{"prefix": "a", "options": "b"}', "a list of texts"),
    "an option as number": ("a.jsonl", b'{"prefix": "a", "options": ["b", 2]}', "line 1: 2 is not a text"),
    "suffix NaN": ("a.jsonl", b'{"prefix": "", "options": ["b"], "suffix": NaN}', "line 1: nan is no"),
    "id as list": ("a.jsonl", b'{"id": [], "prefix": "a", "options": ["b"]}', "line 1: id is []"),
    "id twice": (
        "a.jsonl",
        b'{"id": 5, "prefix": "a", "options": ["b"]}\n{"id": "5", "prefix": "", "options": ["b"]}',
        "line 2: id is '5' again, first on line 1",
    ),
    "misspelt": ("a.jsonl", b'{"prefix": "a", "options": ["b"], "sufix": "."}', "did you mean 'suffix'"),
    "csv without options": ("a.csv", b"prefix,suffix\na,b\n", "line 1: has the columns 'prefix', 'suffix'"),
    "csv with empty options": ("a.csv", b"prefix,option1\na,\n", "line 2: no options"),
}


@pytest.mark.parametrize("fault", BAD_FILES)
def test_faults_are_named_with_their_place(tmp_path, fault):
    name, content, said = BAD_FILES[fault]
    path = tmp_path / (name or "nothing.jsonl")
    if name:
        path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_requests(path)
    message = str(raised.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(str(path))
    assert said in message


def test_rows_have_what_the_distributions_say():
    found = score_many(RandomModel("random", 0), REQUESTS)
    rows = options_table(found, ("sum", "partial", "pmi"))
    assert rows.columns == ["id", "option", "logprob", "tokens", "p.sum", "p.partial"]
    assert rows["id"].to_list() == ["x", "x", "2", "2", "2"]
    assert rows["option"].to_list() == [*REQUESTS[0].options, *REQUESTS[1].options]
    assert rows["p.sum"][:2].to_list() == found[0].probabilities.tolist()
    assert rows["logprob"][2:].to_list() == found[1].logprobs.tolist()
    assert rows["p.partial"].is_null().to_list() == [False, False, True, True, True]
