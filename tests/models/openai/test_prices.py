"""Tables of prices."""

import pytest

from probsense.core.errors import InputError
from probsense.models.openai.prices import Price, price_of, read_prices


def test_a_table(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(
        "gpt-4o: {input: 2.5, output: 10}\ngpt-4o*: {input: 1, output: 1}\n'*': {input: 0, output: 0}\n"
    )
    prices = read_prices(path)
    assert price_of("gpt-4o", prices) == Price(2.5, 10.0)
    assert price_of("gpt-4o-mini", prices) == Price(1.0, 1.0)
    assert price_of("other", prices) == Price(0.0, 0.0)
    assert price_of("other", {"gpt*": Price(1, 1)}) is None
    assert Price(2.5, 10.0).cost(1_000_000, 100_000) == 3.5


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "the file is nothing"),
        (b"a: 3", "a is 3"),
        (b"a: {input: 1}", r"a\.output is missing"),
        (b"a: {input: 1, output: -1}", r"a\.output is -1"),
    ],
)
def test_what_is_no_table(tmp_path, content, part):
    path = tmp_path / "prices.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=part) as caught:
        read_prices(path)
    assert str(path) in str(caught.value)
