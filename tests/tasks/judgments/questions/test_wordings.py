"""The published wording, other ways to ask, files of one's own, and yes and no in the other order."""

import re
from itertools import product

import pytest

from probsense.analysis.distributions.label_mass import token_classes
from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.wordings import TURN, check_questions, packaged_ways, read_ways

WAYS = """\
wording:
  kurz:
    statement first: {q1: '„{statement}“ Stimmt das? {answer}'}
    question first: {q1: 'Stimmt das? „{statement}“ {answer}'}
labels:
  ja-nein: {yes: [ja], no: [nein], yes first: 'Ja oder nein?', no first: 'Nein oder ja?'}
  A-B: {yes: [A], no: [B], yes first: 'A für ja, B für nein?', no first: 'B für nein, A für ja?'}
"""


def test_the_first_way_asks_the_published_questions():
    ways = packaged_ways()
    usual = {"wording": "published", "position": "statement first", "labels": "yes-no"}
    assert {name: levels[0] for name, levels in ways.facets.items()} == usual
    published = ways.wording({})
    asked = "Do you agree with this statement?"
    assert published.prompt("q1", "Birds {fly}.") == (
        f'Consider the statement, "Birds {{fly}}." {asked} Start your answer with a "yes" or "no".'
    )
    assert published.labels == (("yes", ("yes",)), ("no", ("no",)))


def test_all_packaged_ways_differ_and_yes_and_no_can_be_turned():
    ways = packaged_ways()
    asked = [
        ways.wording({**dict(zip(ways.facets, names, strict=True)), TURN: turn})
        for names in product(*ways.facets.values())
        for turn in ((0, 1), (1, 0))
    ]
    for question in ("q1", "q2", "q3"):
        assert len({one.prompt(question, "X.") for one in asked}) == 80
    for words in ways.labels.values():
        labels = (("yes", words.yes), ("no", words.no))
        assert token_classes([*words.yes, *words.no], labels).tolist() == [0, 1]
        assert all(f'"{word}"' in text for text in words.asks for word in (*words.yes, *words.no))
    turned = {"position": "question first", "labels": "B-A", TURN: (1, 0)}
    assert ways.wording(turned).prompt("q1", "Water is wet.") == (
        'Do you agree with the following statement? Consider the statement, "Water is wet." '
        'Start your answer with "A" for no or "B" for yes.'
    )
    assert [ways.named_order(levels, "q1") for levels in (turned, {"labels": "B-A"})] == [(1, 0), (0, 1)]


def test_a_file_of_several_ways(tmp_path):
    path = tmp_path / "deutsch.yaml"
    path.write_text(WAYS)
    ways = read_ways(path)
    assert ways.facets == {"position": ["statement first", "question first"], "labels": ["ja-nein", "A-B"]}
    assert ways.wording({TURN: (1, 0)}).prompt("q1", "x") == "„x“ Stimmt das? Nein oder ja?"


def test_a_single_wording_is_turned_by_its_words(tmp_path):
    """Words of a statement stay."""
    path = tmp_path / "wording.yaml"
    path.write_text("q1: 'Ja, nein: {statement}'\nq2: 'Is {statement} so?'\nyes: [ja, jawohl]\nno: [nein]\n")
    ways = read_ways(path)
    assert not ways.facets
    assert ways.wording({}).labels == (("yes", ("ja", "jawohl")), ("no", ("nein",)))
    turned = {TURN: (1, 0)}
    assert ways.wording(turned).prompt("q1", "Ja, nein?") == "nein, Ja: Ja, nein?"
    assert [ways.named_order(levels, "q1") for levels in (turned, {})] == [(1, 0), (0, 1)]
    with pytest.raises(InputError, match="the wording of q2 names no order of ja and nein"):
        ways.named_order({}, "q2")
    for names, said in ((["q3"], "no such question: 'q3'"), ([], "each at"), (["q1", "q1"], "each at most")):
        with pytest.raises(InputError, match=said):
            check_questions(names, ways.wording({}))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (WAYS, "q4: '{statement}'", "unknown key q4"),
        (WAYS, "yes: ['yes']", "the file is {} (expected some of q1, q2, q3)"),
        (WAYS, "q1: 'Is it so?'", "q1 is 'Is it so?' (expected a text with {statement})"),
        (WAYS, "q1: '{statement}'\nyes: ja", "yes is 'ja'"),
        (WAYS, "q1: '{statement}'\nno: [true]", "no[0] is True (expected text; in YAML, put it in quotes)"),
        (WAYS, "q1: '{statement}'\nno: ['Yes']", "share the form 'yes'"),
        ("labels:", "words:", "unknown key words"),
        (WAYS[WAYS.index("labels") :], "labels: {}", "labels is {}"),
        ("„{statement}“ S", "S", "expected a text with {statement} and {answer}"),
        ("statement first: {", "statement last: {", "a key of wording.kurz is 'statement last'"),
        ("yes: [ja], ", "", "labels['ja-nein'].yes is missing"),
        (", yes first: 'Ja", ", ersetzt: 'Ja", "unknown key labels['ja-nein'].ersetzt"),
        (", no first: 'Nein oder ja?'", "", "labels.A-B has yes first, no first (expected yes first, as"),
        ("question first: {q1", "question first: {q2", "wording.kurz.question first has q2 (expected q1"),
    ],
)
def test_faulty_files_are_refused(tmp_path, old, new, message):
    path = tmp_path / "ways.yaml"
    assert old in WAYS
    path.write_text(WAYS.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_ways(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
