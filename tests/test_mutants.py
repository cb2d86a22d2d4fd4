"""The table of faults that the tests must catch (``make mutants``) fits the code."""

from collections import Counter

from tools.mutants import find, read_faults

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
