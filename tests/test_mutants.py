"""The table of faults that the tests must catch (``make mutants``) fits the code."""

from collections import Counter
from pathlib import Path

import pytest

from support.mutants import Fault, find, nearest, read_faults

ROOMS, OF_EACH = 20, 5


def test_every_fault_has_one_place_and_a_test_that_catches_it():
    faults = read_faults()
    each = Counter(fault.room for fault in faults)
    assert len(each) >= ROOMS
    assert min(each.values()) >= OF_EACH, each
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


def test_a_place_is_that_of_one_expression(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(CODE)
    for function, expression, found in (
        ("of", "a + 1", "a+1"),
        ("Sum.of", "a+1", "a + 1"),
        ("of", "é=True", "é=True"),
    ):
        place = find(Fault("", function, expression, "0"), tmp_path)
        assert path.read_bytes()[place.start : place.end].decode() == found
    for function, expression in (("of", "a - 1"), ("Sum.of", "a - 1"), ("off", "a + 1")):
        with pytest.raises(LookupError, match=function):
            find(Fault("", function, expression, "0"), tmp_path)


def test_the_nearest_tests_come_first():
    found = nearest(Path("src/probsense/analysis/inference/bounded.py"))
    assert found == ["tests/analysis/inference", "tests"]
