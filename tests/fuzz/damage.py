"""Damage to files and answers, and what may come of it: a result, or one clear line soon."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from probsense.core.errors import InputError, ModelError

TARGETS = 40
"""About so many tests share the cases of ``make fuzz``."""
CASES = int(os.environ.get("PROBSENSE_FUZZ", 0)) // TARGETS or 5
"""Cases for each of them."""
MEMORY = 2**30

ODD = (
    *(b"null", b"true", b"false", b"0", b"-1", b"0.1", b"1e400", b"-1e400", b"1e308", b"-1e308", b"NaN"),
    *(b"-Infinity", b"9" * 400, b"-" + b"9" * 400, b"9" * 5000, b"9223372036854775808", b'""', b'" "'),
    *(b'"\\ud800"', b'"\\u0000"', b'"' + b"x" * 100_000 + b'"', b"[]", b"{}", b"[null]", b'{"a": 1}'),
    *(b"[" * 3000 + b"]" * 3000, b"[" * 100_000, b'{"a":' * 2000, b"\xff\xfe", b"\x00", b"\n", b",", b'"'),
    *("\u2028".encode(), "é世".encode(), b"*a", b"&a [*a]", b"!!python/none x", b"{a}", b"{", b"}"),
    *(b"- ", b": "),
)
_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[-+]?[0-9][0-9.eE+-]*|\b(?:true|false|null)\b|[A-Za-z_]+')
_Edit = tuple[bool, float, int, bytes]

EDITS = st.lists(
    st.tuples(
        st.booleans(),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from([0, 1, 2, 8, 10**6]),
        st.sampled_from(ODD) | st.binary(max_size=6),
    ),
    min_size=1,
    max_size=4,
)

fuzzing = settings(max_examples=CASES, deadline=10_000)


def damaged(data: bytes, edits: Sequence[_Edit]) -> bytes:
    """Put odd bytes in the place of whole values, or of any bytes."""
    for value, share, length, odd in edits:
        spans = [found.span() for found in _VALUE.finditer(data)] if value else []
        at = int(share * len(data))
        first, last = spans[int(share * len(spans))] if spans else (at, at + length)
        data = data[:first] + odd + data[last:]
    return data


def outcome(call: Callable[[], Any], allowed: tuple[type[Exception], ...] = (InputError, ModelError)) -> Any:
    """Return the result of a call; None where it says in one short line why there is none."""
    found, before = None, peak_memory()
    try:
        found = call()
    except allowed as error:
        said = str(error)
        assert 0 < len(said) < 500, said[:1000]
        assert len(said.splitlines()) == 1, said
    # Other tests of the same process may have taken more before.
    assert peak_memory() - before < MEMORY
    return found


def peak_memory() -> int:
    """Return the most memory that this process has held so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
