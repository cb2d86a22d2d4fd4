"""What a model says instead of yes or no."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.label_mass import YES_NO
from probsense.core.records import Item, LabelResponse, SampleResponse
from probsense.tasks.base import Answered
from probsense.tasks.judgments.questions.answers import LEAST_SHOWN, SHOWN, first_word_estimates, other_words
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py


def test_a_word_is_the_same_with_and_without_a_blank():
    others = (("I", 0.25), (" The", 0.125), ("▁I", 0.125), ("\n\n", 0.0625))
    found = other_words(LabelResponse({"yes": 0.0, "no": 0.0}, 1.0, others=others), YES_NO)
    assert found == {"I": 0.375, "The": 0.125, "'\\n\\n'": 0.0625}
    # Texts that say neither are counted by their first words.
    texts = ("Yes.", "Well, yes", "well", " No", "", "Well", "…", "I agree")
    once = dict.fromkeys(("well", "nothing", "…", "I"), 0.125)
    assert other_words(SampleResponse(texts), YES_NO) == {"Well": 0.25, **once}


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 0.125), max_size=5), min_size=1, max_size=9
    )
)
def test_the_most_probable_words_come_first_and_are_few(answers):
    item = Item("0-q1", "0", "", {"question": "q1"})
    asked = ((item, LabelResponse({}, 1.0, others=(*said.items(),)), YES_NO) for said in answers)
    found = [(str(e.by["word"]), e.value) for e in first_word_estimates(asked, {"model": "m"})]
    means = {word: sum(said.get(word, 0) for said in answers) / len(answers) for word in "abcdefgh"}
    assert len(found) <= SHOWN
    shares = [share for _, share in found]
    assert shares == pytest.approx(sorted(shares, reverse=True))
    assert dict(found) == {word: pytest.approx(means[word]) for word, _ in found}
    for word in set(means) - set(dict(found)):
        assert means[word] < LEAST_SHOWN or (len(found) == SHOWN and means[word] <= found[-1][1])


def test_what_is_said_instead_comes_first_and_is_estimated(ask, mumbler):
    measured = ask(Judgments(limit=12), mumbler).results
    assert measured.notes[0].startswith(
        "mumbler:: answers to q1 begin with other words than yes or no: “I” 60.0 %, “The” 20.0 %, “'\\n'” 5.0 % (means"
    )
    found = [e for e in measured.estimates if e.measure == "first_word_mass" and e.by["question"] == "q2"]
    assert {e.by["word"]: e.value for e in found} == pytest.approx({"I": 0.6, "The": 0.2, "'\\n'": 0.05})
