"""The table of faults that the tests must catch (``make mutants``) fits the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mutants import Fault, find, nearest, read_faults

FAULTS = 50


def test_every_fault_has_one_place_and_a_test_that_catches_it() -> None:
    faults = read_faults()
    assert len(faults) >= FAULTS
    assert len({(fault.function, fault.expression) for fault in faults}) == len(faults)
    for fault in faults:
        find(fault)
        assert fault.caught.partition("::")[0].endswith(".py"), fault


CODE = '''
class Sum:
    def of(self, a):
        """Add 1."""
        return a + 1  # é

def of(a):
    return [a+1, f(é=True), a - 1, a - 1]
'''


@pytest.mark.parametrize(
    ("function", "expression", "found"),
    [
        ("of", "a + 1", "a+1"),
        ("Sum.of", "a+1", "a + 1"),
        ("of", "é=True", "é=True"),
        ("of", "f(é=True)", "f(é=True)"),
        ("of", "a - 1", None),
        ("Sum.of", "a - 1", None),
        ("off", "a + 1", None),
    ],
)
def test_a_place_is_that_of_one_expression(
    function: str, expression: str, found: str | None, tmp_path: Path
) -> None:
    (tmp_path / "module.py").write_text(CODE)
    fault = Fault("", function, expression, "0")
    if found is None:
        with pytest.raises(LookupError, match=function):
            find(fault, tmp_path)
    else:
        place = find(fault, tmp_path)
        assert (tmp_path / "module.py").read_bytes()[place.start : place.end].decode() == found


def test_the_nearest_tests_come_first() -> None:
    naming, folder, everything = nearest(Path("src/probsense/analysis/inference/bounded.py"))
    assert "tests/analysis/inference/test_bounded.py" in naming
    assert (folder, everything) == (["tests/analysis/inference"], ["tests"])
