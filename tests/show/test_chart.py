"""What all charts share: colours, shapes, labels."""

from hypothesis import given
from hypothesis import strategies as st

from probsense.show.chart import labels


def test_labels_that_are_cut_alike_are_told_apart():
    names = [f"{'a' * 20}{i}{'b' * 20}" for i in range(12)]
    found = labels([*names, names[0]], 12)
    assert len({*found.values()}) == 12
    assert all(len(label) <= 12 for label in found.values())


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(12, 40))
def test_every_name_has_a_printable_label_of_its_own(names, width):
    found = labels(names, width)
    assert set(found) == set(names)
    assert len({*found.values()}) == len(found)
    assert all(label.isprintable() and len(label) <= width for label in found.values())
