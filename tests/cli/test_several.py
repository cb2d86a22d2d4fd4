"""Options that take several values at once."""

from __future__ import annotations

import pytest

from probsense.cli.several import repeated


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run t --humans a b -m x", "run t --humans a --humans b -m x"),
        ("--humans a --json --humans b c", "--humans a --json --humans b --humans c"),
        ("--humans", "--humans"),
        ("--humans --json x", "--humans --json x"),
        ("--prompt a b", "--prompt a b"),
        ("", ""),
    ],
)
def test_the_flag_stands_before_every_value(words: str, expected: str) -> None:
    assert list(repeated(words.split(), {"--humans"})) == expected.split()
