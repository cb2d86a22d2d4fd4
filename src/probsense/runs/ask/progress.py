"""Shows the progress of a run in a line: one that changes on a terminal or in a notebook, elsewhere a new one."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeAlias

from probsense.models.base import Usage

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many are done, and how many there are."""

EVERY_SECONDS = 5.0
EVERY_SHARE = 0.1
IN_PLACE_SECONDS = 0.5
WIDTH = 100
"""The characters of a line that is printed over the last one."""
SILENT_SECONDS = 5.0
"""How long a wait may be without a word where there is no terminal."""


def say(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def show_progress(title: str, *, quiet: bool, used: Callable[[], Usage] = Usage) -> Iterator[Progress]:
    """Show the progress of a block.

    Parameters
    ----------
    title : str
        What is under way.
    quiet : bool
        Show nothing.
    used : callable
        Tells what it has cost so far.

    Yields
    ------
    callable
        To be told how many are done, and how many there are.
    """
    if quiet:
        yield lambda done, total: None
    elif in_notebook():
        yield lines(title, _over_the_last, used, IN_PLACE_SECONDS)
        say("")
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        last = title

        def show(line: str) -> None:
            nonlocal last
            last = line
            status.update(Text(line))

        with Console(stderr=True).status(Text(title)) as status:
            yield lines(title, show, used, IN_PLACE_SECONDS)
        say(last)
    else:
        yield lines(title, say, used)


def lines(
    title: str,
    write: Callable[[str], None],
    used: Callable[[], Usage] = Usage,
    seconds: float = EVERY_SECONDS,
) -> Progress:
    """Report progress in lines: the first, the last, and between them one every few seconds or per cent.

    Parameters
    ----------
    title : str
    write : callable
        Takes a line.
    used : callable
        Tells what it has cost so far.
    seconds : float
        How long a line stands.
    """
    started: tuple[int, float] | None = None
    written: tuple[int, float] = (-1, 0.0)

    def tell(done: int, total: int) -> None:
        nonlocal started, written
        now = time.monotonic()
        started = started or (done, now)
        first, last = written[0] < 0, done == total
        step = abs(done - written[0]) >= EVERY_SHARE * total or now - written[1] >= seconds
        if done != written[0] and (first or last or step):
            written = (done, now)
            pace = describe_pace(done - started[0], total - done, now - started[1])
            parts = (f"{title}: {done:,} of {total:,} items", pace, describe_usage(used()))
            write(", ".join(filter(None, parts)))

    return tell


def _over_the_last(line: str) -> None:
    """Print a line over the last one, as the output of a notebook can."""
    print(f"\r{line:{WIDTH}}", end="", file=sys.stderr, flush=True)


def in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    python = sys.modules.get("IPython")
    return python is not None and hasattr(python.get_ipython(), "kernel")


def describe_pace(done: int, left: int, seconds: float) -> str:
    """Describe the pace as a number per second, or seconds for each, and the time left; "" while nothing is known.

    Parameters
    ----------
    done : int
        How many were done in these seconds, without earlier ones.
    left : int
    seconds : float
    """
    if done <= 0 or seconds <= 0:
        return ""
    rate = f"{done / seconds:,.1f} items/s" if done >= seconds else f"{seconds / done:,.1f} s for each item"
    return f"{rate}, {describe_time(left * seconds / done)} left" if left else rate


def describe_time(seconds: float) -> str:
    """Write a time as hours, minutes and seconds: ``1:02:03``."""
    return str(timedelta(seconds=round(seconds)))


def describe_usage(usage: Usage) -> str:
    """Describe requests, tokens (and how many a naive scorer would read), cost and pace; "" if nothing was asked.

    Parameters
    ----------
    usage : Usage
    """
    if not usage.tokens and not usage.requests:
        return ""
    saved = f" of {usage.naive:,} tokens ({100 * usage.saved:.0f} % saved)" if usage.saved > 0 else " tokens"
    parts = (
        f"{usage.requests:,} requests" if usage.requests else "",
        f"{usage.tokens:,}{saved}",
        f"{usage.written:,} written" if usage.written else "",
        f"cost {usage.cost:,.4f}" if usage.cost else "",
        f"{usage.tokens / usage.seconds:,.0f} tokens/s" if usage.seconds else "",
    )
    return ", ".join(filter(None, parts))


@contextmanager
def show_waiting(what: str, *, quiet: bool) -> Iterator[None]:
    """Say on stderr what takes so long: by a spinner on a terminal, elsewhere by a line after some seconds.

    Parameters
    ----------
    what : str
        What is waited for, such as "getting hf:gpt2 ready".
    quiet : bool
        Say nothing.
    """
    if quiet:
        yield
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(f"{what} …"):
            yield
    else:
        timer = threading.Timer(SILENT_SECONDS, say, [f"{what} …"])
        timer.daemon = True
        timer.start()
        try:
            with warnings.catch_warnings():
                # Of tqdm in a notebook without ipywidgets: what is shown here needs neither.
                warnings.filterwarnings("ignore", message="IProgress not found")
                yield
        finally:
            timer.cancel()
