"""Text that is safe to show on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.show.text import plain, shorten, unbroken, wrapped


@given(st.text())
def test_plain_text_is_printable_and_as_long(text):
    assert plain(text).replace("\u200c", "").replace("\u200d", "").isprintable()
    assert len(plain(text)) == len(text)
    assert plain(plain(text)) == plain(text)
    plain(text).encode()


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d🚀",
        "👩🏽\u200d🚀",
        "❤\ufe0f\u200d🔥",
        "🏳\ufe0f\u200d🌈",
        "🙂\u200d↔\ufe0f",
        "می\u200cخواهم",  # Persian
        "क्\u200dष क्\u200cष",  # Hindi
        "র\u200d্য",  # Bengali
        "ന്\u200d",  # Malayalam, at the end
    ],
)
def test_plain_keeps_the_joiners_that_emoji_and_scripts_need(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    "text", ["ad#min", "#a", "a#", "👩#", "#🚀", "👩##🚀", "م#a", "a#م", "1#2", "#", "##"]
)
@pytest.mark.parametrize("joiner", "\u200c\u200d")
def test_plain_replaces_joiners_that_show_nothing(text, joiner):
    assert plain(text.replace("#", joiner)) == text.replace("#", "\ufffd")


def test_plain_replaces_what_could_fool_a_reader():
    assert plain("a\x1b[31mb\u202ec\n") == "a\ufffd[31mb\ufffdc\ufffd"


@given(st.text(), st.integers(3, 40))
def test_shortened_text_fits_and_keeps_both_ends(text, width):
    short = shorten(text, width)
    assert len(short) <= width
    if len(text) <= width:
        assert short == text
    else:
        start, _, end = short.partition("…") if "…" not in text else (text[0], "", text[-1])
        assert text.startswith(start)
        assert text.endswith(end)


@given(
    st.lists(st.sampled_from(["61.2 %", "95 %", "of", "intervals", "%", "so-called", "x"])),
    st.integers(8, 40),
)
def test_wrapped_lines_fit_and_keep_numbers_with_their_percent(words, width):
    text = " ".join(words)
    lines = wrapped(text, width).split("\n")
    assert " ".join(lines).split() == text.split()
    longest = max([width, *(len(word) for word in unbroken(text).split(" "))])
    assert all(len(line) <= longest for line in lines)
    assert not any(line.endswith(("61.2", "95")) for line in lines)
