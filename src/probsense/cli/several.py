"""Lets one flag take all values that follow it: ``--measure A B C``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from typer.core import TyperCommand, TyperOption


class TakesSeveral(TyperCommand):
    """Let every option that may be repeated, and is shown with "…", take several values at once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the options before click sees them."""
        several = {
            flag
            for option in self.params
            if isinstance(option, TyperOption) and option.multiple and str(option.metavar).endswith("…")
            for flag in option.opts
        }
        return super().parse_args(ctx, list(repeated(args, several)))


def repeated(args: Sequence[str], several: Collection[str]) -> Iterator[str]:
    """Yield the same words, with the flag of an option before each further value of it.

    Parameters
    ----------
    args : sequence of str
    several : collection of str
        Flags of options that take several values: all words up to the next one that begins with "-".
    """
    flag, first = "", False
    for word in args:
        if word.startswith("-"):
            flag, first = (word, True) if word in several else ("", False)
        elif flag and not first:
            yield flag
        else:
            first = False
        yield word
