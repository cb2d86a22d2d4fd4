import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from probsense.core.errors import InputError, ModelError
from probsense.core.records import ScoreRequest
from probsense.models.next_token.alignment import align, encode, encoder

KINDS = ["gpt2", "llama3", "llama2", "wordpiece", "slow"]
PARTS = [*" \n\tabeinsy:.,'12éû世🙂👍🏽", "\u0301", "yes", " no", "\n\n", "  "]
TEXT = st.lists(st.sampled_from(PARTS), max_size=10).map("".join)


@pytest.fixture(scope="module")
def encoder_of(tokenizer_of):
    made = {}
    return lambda kind: made.setdefault(kind, made.get(kind) or encoder(tokenizer_of(kind)))


def one(known, prefix, option, suffix="", *, special=True):
    return align(known, [ScoreRequest(prefix, (option,), suffix)], special=special)[0][0]


def pieces(known, aligned):
    parts = np.split(aligned.ids, [aligned.option, aligned.suffix])
    return [known.tokenizer.convert_ids_to_tokens(part.tolist()) for part in parts]


@pytest.mark.parametrize(
    ("kind", "prefix", "option", "suffix", "expected", "straddles"),
    [
        ("gpt2", "The garden", " is", " wet", [["The", "Ġgarden"], ["Ġis"], ["Ġwet"]], False),
        # A blank at the end of the prefix melts into the option, which says so.
        ("gpt2", "Answer: ", "yes", "", [["Answer", ":"], ["Ġyes"], []], True),
        # Trimmed offsets would put these tokens of blanks into the wrong part.
        ("gpt2", " ", "\n", "The", [["Ġ"], ["Ċ"], ["The"]], False),
        # Two characters in one token, which goes with the later one.
        ("gpt2", "Is 👍", "🏽", " and", [["Is"], ["ĠðŁĳįðŁı½"], ["Ġand"]], True),
        # ":\n" is one token of Llama 3's kind: nothing of it is lost.
        ("llama3", "Pick one:", "\n", " yes", [["<|begin|>", "Pick", "Ġone"], [":Ċ"], ["Ġyes"]], True),
        ("llama2", "The ", "is", "", [["<s>", "▁The"], ["▁is"], []], True),
        # A character in three tokens stays in one part.
        ("llama2", "The", "☂", "", [["<s>", "▁The"], ["<0xE2>", "<0x98>", "<0x82>"], []], False),
        ("wordpiece", "The ", "Is", "  wet", [["[CLS]", "the"], ["is"], ["wet"]], False),
        ("slow", "ab", "cé", "d", [["a", "b"], ["c", "Ã", "©"], ["d"]], False),
    ],
)  # fmt: skip
def test_split(encoder_of, kind, prefix, option, suffix, expected, straddles):
    known = encoder_of(kind)
    found = one(known, prefix, option, suffix)
    assert pieces(known, found) == expected
    assert found.straddles is straddles


@pytest.mark.parametrize("kind", KINDS)
@given(prefix=TEXT, option=TEXT, suffix=TEXT)
@example(prefix="a ", option=" ", suffix="y")
@example(prefix="👍", option="🏽", suffix="🏽")
@example(prefix="  ", option="yes", suffix="")
def test_the_parts_make_the_whole_and_follow_the_prefix(encoder_of, kind, prefix, option, suffix):
    known = encoder_of(kind)

    def plain(text):
        return tuple(known.tokenizer(text, add_special_tokens=False)["input_ids"])

    try:
        found = one(known, "ab" + prefix, option, suffix)
    except InputError:
        # Only an option all of whose text goes with the token after it, or is dropped, has no token.
        assert plain("ab" + prefix + option + suffix) != plain("ab" + prefix) + plain(option) + plain(
            suffix
        ) or (not plain(option))
        return
    n = len(known.head)
    whole = plain("ab" + prefix + option + suffix)
    assume(known.tokenizer.unk_token_id not in whole)  # which may stand for two different texts
    assert found.ids.tolist() == [*known.head, *whole]
    assert n <= found.option < found.suffix <= len(found.ids)
    for text, cut in (("ab" + prefix, found.option), ("ab" + prefix + option, found.suffix)):
        before = plain(text)
        if whole[: len(before)] == before:  # no token spans the join: the common prefix says where it is
            assert cut == n + len(before)
        else:
            assert cut >= n + next(i for i, (a, b) in enumerate(zip(before, whole, strict=False)) if a != b)
    if not found.straddles and kind == "gpt2":
        assert known.tokenizer.convert_tokens_to_string(pieces(known, found)[1]) == option


@pytest.mark.parametrize("kind", KINDS)
def test_text_is_fed_as_the_tokenizer_does_by_itself_but_for_what_ends_it(encoder_of, tokenizer_of, kind):
    text = "Question: is it wet?\n 🙂"
    default = tuple(tokenizer_of(kind)(text)["input_ids"])
    (ids,) = encode(encoder_of(kind), [text])
    assert default[: len(ids)] == tuple(ids)
    assert len(default) - len(ids) == (kind in ("wordpiece", "slow"))
    (bare,) = encode(encoder_of(kind), [text], special=False)
    assert ids[len(encoder_of(kind).head) :].tolist() == bare.tolist()


def test_an_empty_prefix_gets_bos_or_eos_for_all_options_alike(encoder_of):
    end = encoder_of("gpt2").start
    assert end == 0
    assert one(encoder_of("gpt2"), "", "yes").ids[0] == end
    # " yes" melts into the prefix " ", "\n" does not: both get the token.
    (entries,) = align(encoder_of("gpt2"), [ScoreRequest(" ", ("yes", "\n"))])
    assert [entry.ids[0] for entry in entries] == [end, end]
    assert [entry.option for entry in entries] == [1, 2]
    assert one(encoder_of("llama3"), "", "yes").ids[0] == 1
    assert [ids.tolist() for ids in encode(encoder_of("gpt2"), [""])] == [[end]]
    with pytest.raises(ModelError, match="-M beginning=TOKEN names the token"):
        one(encoder_of("wordpiece"), "", "yes", special=False)


@pytest.mark.parametrize(
    ("prefix", "option", "suffix"), [("The", "", ""), ("The", " ", "garden"), ("", "", "a")]
)
def test_an_option_without_a_token_is_named(encoder_of, prefix, option, suffix):
    request = ScoreRequest(prefix, (" is", option), suffix, item="q7")
    with pytest.raises(InputError, match=rf"the option '{option}' adds no token to its prefix \(item q7\)"):
        align(encoder_of("gpt2"), [request])
