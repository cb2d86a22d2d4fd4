"""The questions that come with the package: right, even, and the ones that the package makes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

from probsense.tasks.worldsense.generate.matched import (
    matched_depths,
    paired,
    several,
    stored,
)
from questions.build import SIZES, arrays
from questions.views import masked, whole

DEEP = pytest.mark.slow
SOME = [4, 5, 6, *(pytest.param(n, marks=DEEP) for n in SIZES if n > 6)]


@pytest.mark.parametrize("n", SOME)
def test_true_and_false_claims_have_one_law(n):
    """The exact chances of stories and views, in each complexity and depth."""
    for kind in (0, 1, 2):
        for own in matched_depths("Infer.normal", n, kind):
            true = Counter()
            false = Counter()
            for facts, claim, denials, _ in paired(n, kind, own):
                true[facts] += 1
                true[whole(n, facts, claim)] += 1
                false[facts] += 1
                for denial in denials:
                    false[whole(n, facts, denial)] += Fraction(1, len(denials))
            assert true == false


@pytest.mark.parametrize("n", SOME)
def test_decided_and_open_claims_look_alike(n):
    look = masked if n == 4 else lambda facts, claim: whole(n, facts, claim)
    for own in several(n):
        for side in (own.true, own.false):
            assert len(side.weights) == len(side.decided) == len(side.opened)
            for decided, opened in zip(side.decided, side.opened, strict=True):
                assert len({look(*question) for question in (*decided, *opened)}) == 1


DIGEST = "8bdb01016e7c13a8782bc9db0eda60fff951dedb80baa0e9355ebedcbf8613e7"
"""SHA-256 of the arrays in the file."""


@pytest.mark.parametrize("n", [4, pytest.param(7, marks=DEEP)])
def test_the_file_is_what_the_package_makes(n):
    for name, array in arrays(n).items():
        assert np.array_equal(stored()[name], array)


def test_the_file_is_the_one_of_its_digest():
    found = sha256()
    for name, array in sorted(stored().items()):
        found.update(f"{name} {array.shape}".encode())
        found.update(array.astype("<u2").tobytes())
    assert found.hexdigest() == DIGEST
