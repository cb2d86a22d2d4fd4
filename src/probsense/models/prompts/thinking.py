"""Finds out from a chat template and its tokenizer whether and how a model thinks before it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from probsense.core.errors import InputError, ModelError
from probsense.core.files.typed import Record
from probsense.core.records import Json
from probsense.models.prompts.formats import CHAT, PromptFormat, in_chat
from probsense.models.prompts.thoughts import KNOWN, Markers, before_thought

Verdict: TypeAlias = Literal["off unless asked", "on unless told", "always", "unclear", "asked for"]
"""When a model thinks: "always" where its template has no switch, "unclear" where only its first word tells, and "asked
for" where the user gave the markers."""

SAID: Final[Mapping[Verdict, str]] = {
    "off unless asked": "thinks if it is asked to (--thinking on)",
    "on unless told": "thinks unless its template is told otherwise, as it is here (--thinking on lets it think)",
    "always": "thinks before every answer, and its template has no switch (--thinking off closes each thought at once)",
    "asked for": "thinks between the markers that were given",
}


class Sampling(Record, frozen=True):
    """The settings with which a model draws its texts.

    Attributes
    ----------
    temperature : float
    top_p : float
        Only the fewest most probable tokens that have this probability together are drawn; 1 draws from all.
    top_k : int
        Only so many of the most probable tokens are drawn; 0 draws from all.
    min_p : float
        Tokens are not drawn that have less than this share of the probability of the most probable one.
    """

    temperature: Annotated[float, Meta(ge=0, le=100)] = 1.0
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Meta(ge=0, le=10**9)] = 0
    min_p: Annotated[float, Meta(ge=0, le=1)] = 0.0

    def __str__(self) -> str:
        parts = [f"temperature {self.temperature:g}"]
        parts += [f"top-p {self.top_p:g}"] if self.top_p < 1 else []
        parts += [f"top-k {self.top_k}"] if self.top_k else []
        parts += [f"min-p {self.min_p:g}"] if self.min_p else []
        return ", ".join(parts)

    def changed(self, words: str) -> Sampling:
        """Return the settings with some of them replaced, as a user names them: "temperature=.6,top_p=.95".

        Raises
        ------
        InputError
            For a setting that does not exist or a value that makes no sense.
        """
        found = self
        for part in filter(None, map(str.strip, words.split(","))):
            name, _, value = part.partition("=")
            try:
                given = {name.strip().replace("-", "_"): float(value)}
                found = msgspec.convert(asdict(found) | given, Sampling, strict=False)
            except ValueError:
                raise InputError(f"the setting of sampling {part!r}", expected=SETTINGS) from None
        return found


SETTINGS: Final = (
    "NAME=VALUE, separated by commas, of temperature (from 0 to 100), top_p (above 0, at most 1), top_k (a whole"
    " number from 0) and min_p (from 0 to 1)"
)

UNCHANGED: Final = Sampling()
"""Draws from the model's distribution as it is."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model thinks.

    Attributes
    ----------
    start : str
        What opens a thought, up to its first word.
    end : str
        What closes a thought, up to the first word of the answer.
    mark : str
        The part of ``end`` by which a text shows that its thought is over.
    verdict : Verdict
    sampling : Sampling
    """

    start: str
    end: str
    mark: str
    verdict: Verdict
    sampling: Sampling = UNCHANGED

    def to_json(self) -> dict[str, Json]:
        """Return what can change an answer after a thought, for the details of a model."""
        return {"start": self.start, "end": self.end, "mark": self.mark, **asdict(self.sampling)}


def given_manner(start: str | None, end: str | None, sampling: Sampling) -> Manner:
    """Return the manner of a model whose markers the user gave.

    Raises
    ------
    InputError
        If one of them is missing or blank.
    """
    if not (start or "").strip() or not (end or "").strip():
        raise InputError(
            "thinking with one marker", expected="both think_start and think_end, neither of them blank"
        )
    start, end = str(start), str(end)
    return Manner(
        _broken(start), f"{end}\n\n" if end == end.rstrip() else end, end.strip(), "asked for", sampling
    )


def find_manner(tokenizer: Any, sampling: Sampling = UNCHANGED) -> Manner | None:
    """Find out how a model thinks, from what its template renders with thinking switched on and off.

    Parameters
    ----------
    tokenizer : Any
    sampling : Sampling
        The model's own.

    Returns
    -------
    Manner or None
        None if there is no template, or nothing in it and in the tokens tells of thoughts.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return None
    try:
        plain, on, off = (in_chat(tokenizer, "a", None, CHAT, switch=to) for to in (None, True, False))
    except ModelError:
        return None
    source = str(tokenizer.chat_template)
    for markers in KNOWN:
        opened = before_thought(on, markers)
        if markers.first or (opened is None and not _tells(tokenizer, source, markers.end)):
            continue
        verdict: Verdict
        if before_thought(off, markers):
            verdict = "always"
        elif on != off:
            verdict = "on unless told" if plain == on else "off unless asked"
        elif _tells(tokenizer, source, markers.start):
            verdict = "unclear"
        else:
            continue
        channel = bool(markers.mark)
        start = on[len(opened) :] if opened else markers.start if channel else _broken(markers.start)
        end = markers.mark + markers.between + markers.end + _after(markers, off, source)
        return Manner(start, end, markers.mark or markers.end, verdict, sampling)
    return None


def own_sampling(folder: Path) -> Sampling:
    """Read the settings with which a model comes; those that are missing or make no sense are 1, or off.

    Parameters
    ----------
    folder : Path
        Holds ``generation_config.json``, if there is one.
    """
    try:
        found = json.loads((folder / "generation_config.json").read_bytes())
    except (OSError, ValueError):
        return UNCHANGED
    own = UNCHANGED
    for name, value in found.items() if isinstance(found, dict) else ():
        with suppress(msgspec.ValidationError):  # The file has other keys, too.
            own = msgspec.convert({**asdict(own), name: value}, Sampling) if value else own
    return own


def in_thinking(
    tokenizer: Any, prompt: str, system: str | None, wished: PromptFormat, turns: Any = ()
) -> str:
    """Render a prompt with thinking switched on, up to where the thought begins: a marker that opens it is left out."""
    if not wished.chat:
        return wished.in_text(prompt, turns) + "\n"
    text = in_chat(tokenizer, prompt, system, wished, turns, switch=True)
    for markers in KNOWN:
        opened = before_thought(text, markers)
        if opened is not None:
            return opened
    return text


def _tells(tokenizer: Any, source: str, text: str) -> bool:
    """Tell whether a template or the tokens hold a text."""
    return text in source or text in getattr(tokenizer, "added_tokens_encoder", {})


def _broken(start: str) -> str:
    """Put the line break after a marker with which models begin their thoughts."""
    return start if start != start.rstrip() else f"{start}\n"


def _after(markers: Markers, off: str, source: str) -> str:
    """Find what stands between the end of a thought and the answer: in an empty thought, or else in the template."""
    _, closed, rest = off.rpartition(markers.end)
    if closed and not rest.strip():
        return rest
    found = re.search(re.escape(markers.end) + r"((?:\\n|\n)*)", source)
    return "\n\n" if found is None else found[1].replace("\\n", "\n")
