"""Answers of a run: texts in place of probabilities, asked for in rounds, and what each answer amounts to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.distributions import label_mass as labels
from probsense.core.errors import InputError
from probsense.core.records import LabelResponse, Request, Response, SampleRequest, SampleResponse

MAX_TOKENS = 8
"""The length of a sampled text: its first word counts, and something may stand before it."""

FOLD = 4
"""With a precision and no other limit, all rounds together have at most this many times the texts of the first."""
COLUMNS: Final = {
    "id": pl.String,
    "statement_id": pl.Int64,
    "question": pl.String,
    "p_yes": pl.Float64,
    "p_no": pl.Float64,
    "p_other": pl.Float64,
    "n": pl.Int64,
    "low_yes": pl.Float64,
    "high_yes": pl.Float64,
    "source": pl.String,
    "note": pl.String,
}
"""Columns of a run's table: what was asked; the probability of yes, of no and of anything else; the number of texts
behind it (null if it is exact); the bounds of the probability of yes (null if it is exact); where it comes from; a note
on how it was read, "" for none."""
Row: TypeAlias = tuple[float, float, float, int | None, float | None, float | None, str, str]
"""The last eight of the columns."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How texts are sampled.

    Attributes
    ----------
    words : sequence of (str, sequence of str)
        The labels with the words that stand for each.
    trials : int
        Texts of a round; without a precision there is only one.
    precision : float or None
        Rounds follow until the interval of every answer's probability is narrower than this.
    most : int
        Texts of all rounds together.
    seed : int
        Seeds the first round; each further one has its own seed.
    system : str
        What stands before each prompt.

    Raises
    ------
    InputError
        For no trials, a precision outside 0 to 1, and fewer texts in all than in the first round.
    """

    words: Sequence[tuple[str, Sequence[str]]]
    trials: int
    precision: float | None
    most: int
    seed: int
    system: str = ""

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError(f"{self.trials} trials", expected="at least 1")
        if self.precision is not None and not 0 < self.precision < 1:
            raise InputError(f"a precision of {self.precision:g}", expected="a width between 0 and 1")
        if self.most < self.trials:
            raise InputError(
                f"at most {self.most} texts, and {self.trials} in the first round", expected="more"
            )

    def requests(self, prompt: str, item: str) -> list[SampleRequest]:
        """Return every round that may come."""
        whole, rest = divmod(self.most, self.trials)
        sizes = [self.trials] * whole + [rest] * bool(rest)
        return [
            SampleRequest(
                prompt,
                n,
                MAX_TOKENS,
                temperature=1.0,
                seed=self._seed_of(turn),
                item=item,
                system=self.system,
            )
            for turn, n in enumerate(sizes)
        ]

    def wanted(self, prompt: str, item: str, answers: Mapping[Request, Response]) -> list[SampleRequest]:
        """Return the rounds up to the first that makes the answers enough or is not answered."""
        rounds = self.requests(prompt, item)
        counts = np.zeros(3, dtype=np.int64)
        for turn, request in enumerate(rounds):
            if request not in answers:
                return rounds[: turn + 1]
            counts += self.count(texts_of([request], answers))
            if self.is_narrow(counts):
                return rounds[: turn + 1]
        return rounds

    def count(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Count the texts that say yes, no and something else."""
        classes = Counter(labels.text_class(text, self.words) for text in texts)
        return np.array([classes[name] for name in ("yes", "no", "other")])

    def is_narrow(self, counts: NDArray[np.int64]) -> bool:
        """Tell whether every interval is narrower than the precision."""
        if self.precision is None:
            return False
        low, high = labels.dirichlet_interval(counts)
        return bool((high - low).max() < self.precision)

    def ending(self, counts: NDArray[np.int64]) -> str:
        """Say why there are no more texts; "" without a precision."""
        if self.precision is None:
            return ""
        if self.is_narrow(counts):
            return f"sampling ended when every interval was narrower than {self.precision:g}"
        if counts.sum() >= self.most:
            return f"sampling ended at the most of {self.most:,} texts, with a wider interval"
        return "sampling ended when a request failed, with a wider interval"

    def _seed_of(self, turn: int) -> int:
        """Make a seed that no other round has, not even in a run with the next seed."""
        if not turn:
            return self.seed
        return int(np.random.SeedSequence((self.seed, turn)).generate_state(1)[0]) >> 1


def texts_of(requests: Sequence[Request], answers: Mapping[Request, Response]) -> list[str]:
    """Collect the texts of the requests up to the first that is not answered."""
    found = takewhile(lambda answer: answer is not None, (answers.get(request) for request in requests))
    return [text for answer in found if isinstance(answer, SampleResponse) for text in answer.texts]


def read_mass(response: Response) -> Row:
    """Read the mass of both labels.

    Raises
    ------
    TypeError
        For a response of another kind, which only a faulty model gives.
    """
    if not isinstance(response, LabelResponse):
        raise TypeError(f"a judgment cannot be read from {response!r}")
    yes, no, other = response.mass["yes"], response.mass["no"], response.other
    # What the most probable tokens leave out may be anything.
    bounds = response.bounds["yes"] if response.bounds else (None, None)
    return yes, no, other, None, *bounds, response.source, response.note


def read_texts(texts: Sequence[str], sampling: Sampling) -> Row:
    """Count the texts that say yes, no and something else."""
    counts = sampling.count(texts)
    low, high = (float(end[0]) for end in labels.dirichlet_interval(counts))
    yes, no, other = labels.trial_mass(counts).tolist()
    return yes, no, other, int(counts.sum()), low, high, "sampled", sampling.ending(counts)
