"""Puts several similarities of answers to one question together, over which a comparison is a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probsense.analysis.open_answers.contrast import contrasted
from probsense.analysis.open_answers.questions import Floats, Similarity


@dataclass(frozen=True, slots=True)
class Similarities:
    """Hold S similarities of answers to one question, and the V means of them by which answers are compared.

    Attributes
    ----------
    sources : tuple of Similarity
        S similarities. The first alone says which answers match, which are nearest, and how far the earth mover goes.
    contrasts : tuple of float
        For each of them, the share of what all answers to a question have in common that is removed.
    means : tuple of tuple of int
        For each of the V means, the indices of the similarities that it averages after the contrast. The first mean is
        the first similarity.
    kernel : bool
        Whether automatic clusters have the kernel beside them, half and half.
    """

    sources: tuple[Similarity, ...]
    contrasts: tuple[float, ...]
    means: tuple[tuple[int, ...], ...] = ((0,),)
    kernel: bool = False

    def raw(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        """Return the similarities of n strings and m strings as they are, shape (S, n, m)."""
        return np.stack([similarity(a, b) for similarity in self.sources])

    def contrasted(self, raw: Floats, gold: Floats) -> tuple[Floats, Floats]:
        """Contrast similarities, and average them.

        Parameters
        ----------
        raw : ndarray, shape (S, U, G)
            Similarities of answers and people's strings.
        gold : ndarray, shape (S, G, G)
            Similarities of people's strings.

        Returns
        -------
        tuple of ndarray
            The means of both, shapes (V, U, G) and (V, G, G): see
            :func:`~probsense.analysis.open_answers.contrast.contrasted`.
        """
        each = [contrasted(*own) for own in zip(raw, gold, self.contrasts, strict=True)]
        found = [
            np.stack([np.mean([part[i] for i in mean], axis=0) for mean in self.means])
            for part in zip(*each, strict=True)
        ]
        return found[0], found[1]
