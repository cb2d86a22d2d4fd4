"""The ways in which a request to a server can fail."""

from __future__ import annotations

from probsense.core.errors import ModelError


class Refused(ModelError):  # noqa: N818 - what the server did
    """The server will not answer, however often it is asked; the message tells the user how to go on.

    Attributes
    ----------
    status : int
        The HTTP status.
    reason : str
        The server's words, as a phrase without secrets.
    """

    def __init__(self, message: str, status: int, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason or message

    @property
    def about_this_request(self) -> bool:
        """Whether the server may refuse the words of this one request, rather than the user or the model."""
        return self.status in (400, 413, 422)


class Declined(Refused):
    """The server does not answer a request of this kind, but may answer others: neither key nor account is at fault."""


class Unanswerable(ModelError):  # noqa: N818 - like its neighbours
    """The server's answers to one request can never hold the result, though those to others can."""


class Exhausted(ModelError):  # noqa: N818 - what the tries are
    """All tries of a request failed.

    Attributes
    ----------
    reason : str
        Why the last try failed, as a phrase without secrets.
    tries : int
    """

    def __init__(self, reason: str, tries: int) -> None:
        super().__init__(f"{reason} (asked {tries} {'times' if tries > 1 else 'time'})")
        self.reason = reason
        self.tries = tries


class Passing(Exception):  # noqa: N818 - a fault that another try may not meet
    """One try failed.

    Attributes
    ----------
    reason : str
    busy : bool
        Whether the server has too much to do.
    wait : float
        How many seconds the server asks to be left alone.
    """

    def __init__(self, reason: str, *, busy: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.busy = busy
        self.wait = wait


class Malformed(Passing):
    """The server answered, but the answer lacks something or cannot be true."""
