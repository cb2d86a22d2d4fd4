"""Checks whether the model that answered is the one that was asked."""

from __future__ import annotations


def same_model(served: str, asked: str, first: str) -> bool:
    """Whether a name that came with an answer may be that of the model.

    Servers answer under the name of a snapshot ("gpt-4o-2024-08-06" for "gpt-4o"), of a file or of a deployment. So
    one name may be within the other, or the name is at least that of the first answer.

    Parameters
    ----------
    served : str
        The name with the answer.
    asked : str
        The name that was asked for.
    first : str
        The name with the first answer.
    """
    a, b = (name.lower().rstrip("/").rpartition("/")[2] for name in (served, asked))
    return served == first or (bool(a and b) and (a in b or b in a))
