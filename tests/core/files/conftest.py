"""What the tests of files share."""

import pytest

from probsense.core.errors import InputError


@pytest.fixture(scope="session")
def fault_of():
    """What an InputError says that a call raises, on one line; "" where it raises nothing."""

    def fault(call):
        try:
            call()
        except InputError as error:
            assert str(error).isprintable(), repr(str(error))  # noqa: PT017 - whether or not it raises
            return str(error)
        return ""

    return fault
