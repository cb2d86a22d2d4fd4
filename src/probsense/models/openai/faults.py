"""How a request to a server can fail: for now, for good, or after all its tries."""

from __future__ import annotations

from probsense.errors import ModelError


class Refused(ModelError):  # noqa: N818 - what the server did
    """The server will not answer, however often it is asked; the message says what to do.

    Attributes
    ----------
    status : int
        The HTTP status.
    reason : str
        What the server said, as a phrase without secrets.
    """

    def __init__(self, message: str, status: int, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason or message

    @property
    def about_this_request(self) -> bool:
        """Whether it may be the words of the one request that the server does not take, and not the user or model."""
        return self.status in (400, 413, 422)


class Unanswerable(ModelError):  # noqa: N818 - like its neighbours
    """The server's answers to one request can never say what is asked, though those to others can."""


class Exhausted(ModelError):  # noqa: N818 - what the tries are
    """All tries of a request failed.

    Attributes
    ----------
    reason : str
        Why the last one did, as a phrase without secrets.
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
        Seconds that it asks to be left alone.
    """

    def __init__(self, reason: str, *, busy: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.busy = busy
        self.wait = wait


class Malformed(Passing):
    """The server answered, but the answer lacks something or cannot be true."""
