"""Lets a model think before each answer: whether it does, its chains of thought, and the mean of what follows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, Self, TypeAlias, cast, get_args

from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.core.errors import InputError, check_name
from probsense.core.records import (
    Json,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    Thought,
)
from probsense.models.base import REASONING, Model, Thinks, findings_of
from probsense.models.prompts.thinking import UNCHANGED, Manner, Sampling, given_manner
from probsense.runs.store.rows import THINKING

DRAWS: Final = 16
"""Bits of the seed of a chain that number it."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of thought that is over.

    Attributes
    ----------
    text : str
    tokens : int
    closed : bool
        Whether the model closed it itself; if not, it is closed for it.
    ended : bool
        Whether the model ended its text within the thought; a chain that is neither closed nor ended was cut.
    """

    text: str
    tokens: int
    closed: bool
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Chains:
    """How a model thinks before its answers, in one run.

    Attributes
    ----------
    number : int
        Chains for each question; a text that is sampled has a chain of its own.
    budgets : tuple of int
        Tokens after which a chain may be cut, rising; the last is where it is closed at the latest. Runs whose budgets
        begin alike share their chains that far.
    manner : Manner
    """

    number: int
    budgets: tuple[int, ...]
    manner: Manner

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise((-1, *self.budgets)))
        if self.number < 1:
            raise InputError(f"{self.number} chains", expected="at least 1")
        if self.number > 1 and not self.manner.sampling.temperature:
            raise InputError(
                f"{self.number} chains at temperature 0, which are all the same",
                expected="--chains 1, or a temperature above 0",
            )
        if not self.budgets or not rising:
            said = ", ".join(map(str, self.budgets)) or "none"
            raise InputError(f"a thinking budget of {said}", expected="tokens from 0, rising")

    @classmethod
    def of_run(cls, options: Mapping[str, Json], details: Mapping[str, Json]) -> Self | None:
        """Read how the model of a run thought from the options of the run and the details of the model."""
        if THINKING not in options:
            return None
        asked = cast("dict[str, list[int]]", options[THINKING])
        known = dict(cast("dict[str, str | float]", details[THINKING]))
        start, end, mark = (str(known.pop(name)) for name in ("start", "end", "mark"))
        drawn = Sampling(**known)  # type: ignore[arg-type]
        return cls(
            cast("int", asked["chains"]),
            tuple(asked["budgets"]),
            Manner(start, end, mark, "asked for", drawn),
        )

    def to_json(self) -> dict[str, Json]:
        """Return what a run records; :meth:`of_run` is the inverse."""
        return {"chains": self.number, "budgets": [*self.budgets]}

    def chain(
        self, request: Request, number: int, answers: Mapping[Request, Response]
    ) -> Chain | SampleRequest:
        """Return a chain before the answer to a request, or what has to be asked next to have it."""
        text, tokens = "", 0
        for before, after in pairwise((0, *self.budgets)):
            if before == after:
                continue
            asked = self._asked(request, number, text, after - before)
            answer = answers.get(asked)
            if not isinstance(answer, SampleResponse):
                return asked
            text += answer.texts[0]
            tokens += answer.sizes[0] if answer.sizes else 0
            if answer.cut is not None and not answer.cut[0]:
                return Chain(text, tokens, closed=True)
            if answer.sizes and answer.sizes[0] < asked.max_tokens:
                return Chain(text, tokens, closed=False, ended=True)
        return Chain(text, tokens, closed=False)

    def after(self, request: Request, number: int, chain: Chain) -> Request:
        """Ask a request after a chain that is over."""
        text = chain.text if chain.closed else f"{chain.text.rstrip()}\n"
        thought = Thought(self.manner.start, text, self.manner.end)
        if isinstance(request, SampleRequest):
            return replace(request, n=1, seed=(request.seed << DRAWS) + number, thought=thought)
        return replace(request, thought=thought)

    def of(self, request: Request) -> range:
        """Number the chains before the answer to a request."""
        return range(request.n if isinstance(request, SampleRequest) else self.number)

    def lacking(self, request: Request, answers: Mapping[Request, Response]) -> list[Request]:
        """List what has to be asked next for a request, as far as the answers so far allow to say."""
        found: dict[Request, None] = {}
        for number in self.of(request):
            chain = self.chain(request, number, answers)
            asked = chain if isinstance(chain, SampleRequest) else self.after(request, number, chain)
            if asked not in answers:
                found[asked] = None
        return [*found]

    def rest(self, request: Request, answers: Mapping[Request, Response]) -> Iterator[Request]:
        """Yield all that is still to be asked for a request, if chains to come have the most tokens."""
        length = self.budgets[-1]
        for number in self.of(request):
            chain = self.chain(request, number, answers)
            if isinstance(chain, SampleRequest):
                yield self.beginning(request, number)
                chain = Chain(f"{number} {'word ' * length}", length, closed=True)
            after = self.after(request, number, chain)
            if after not in answers:
                yield after

    def beginning(self, request: Request, number: int) -> SampleRequest:
        """Return what asks for the beginning of a chain: requests with the same one share the chain."""
        return self._asked(request, number, "", self.budgets[-1])

    def _asked(self, request: Request, number: int, text: str, tokens: int) -> SampleRequest:
        drawn = self.manner.sampling
        seed, turns = (request.seed, request.turns) if isinstance(request, SampleRequest) else (0, ())
        return SampleRequest(
            request.prefix if isinstance(request, ScoreRequest) else request.prompt,
            max_tokens=tokens,
            temperature=drawn.temperature,
            top_p=drawn.top_p,
            stop=(self.manner.mark,),
            seed=(seed << DRAWS) + number,
            turns=turns,
            item=request.item,
            system=request.system,
            thought=Thought(self.manner.start, text),
            top_k=drawn.top_k,
            min_p=drawn.min_p,
        )


class AfterChains(Mapping[Request, Response]):
    """Answers to requests as the mean over the answers after all their chains.

    Parameters
    ----------
    chains : Chains
    answers : Mapping of Request to Response
        Those of the model, to the chains and to what follows each; they can be looked up, too.
    """

    def __init__(self, chains: Chains, answers: Mapping[Request, Response]) -> None:
        self.chains = chains
        self.answers = answers
        self._means: dict[Request, Response] = {}

    def __getitem__(self, request: Request) -> Response:
        if request.thought is not None:
            return self.answers[request]
        if request not in self._means:
            self._means[request] = mean([*self.parts(request)])
        return self._means[request]

    def parts(self, request: Request) -> Iterator[tuple[Chain, Response]]:
        """Yield each chain before the answer to a request, and the answer after it.

        Raises
        ------
        KeyError
            If one is not known.
        """
        for number in self.chains.of(request):
            chain = self.chains.chain(request, number, self.answers)
            if isinstance(chain, SampleRequest):
                raise KeyError(chain)
            yield chain, self.answers[self.chains.after(request, number, chain)]

    def __iter__(self) -> Iterator[Request]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)


def mean(parts: Sequence[tuple[Chain, Response]]) -> Response:
    """Average the answers after chains; texts stand one after the other, each with its chain as its thought.

    Raises
    ------
    KeyError
        If no text is left.
    """
    found = [answer for _, answer in parts]
    match found[0]:
        case LabelResponse():
            return mean_labels(cast("list[LabelResponse]", found))
        case ScoreResponse():
            return mean_options(cast("list[ScoreResponse]", found))
    texts = cast("list[SampleResponse]", found)
    cut = [one.cut for one in texts if one.cut is not None]
    written = tuple(text for one in texts for text in one.texts)
    if not written:
        raise KeyError("no text")
    pairs = zip(parts, texts, strict=True)
    thoughts = (chain.text.strip() for (chain, _), one in pairs for _ in one.texts)
    return SampleResponse(
        written,
        texts[-1].server,
        tuple(flag for one in cut for flag in one) if len(cut) == len(texts) else None,
        tuple(thoughts),
        sum(one.unfinished for one in texts),
    )


ThinkingMode: TypeAlias = Literal["auto", "off", "on"]
BOTH: Final = "both"
"""Asks a model twice, without thinking and with it."""
CHAINS: Final = 8
"""Chains of thought before each answer."""
BUDGET: Final = 1024
"""The most tokens of a chain."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a user wishes about thinking.

    Attributes
    ----------
    mode : {"auto", "off", "on"}
        "auto" lets a model think that cannot help it.
    chains : int
    budgets : tuple of int
        As for :class:`~probsense.runs.ask.thinking.Chains`.
    start, end : str or None
        What opens and closes a thought; None where the template tells.
    sampling : str
        Settings with which chains are drawn in place of the model's own, as
        :meth:`~probsense.models.prompts.thinking.Sampling.changed` reads them.

    Raises
    ------
    InputError
        For settings that make no sense.
    """

    mode: ThinkingMode = "auto"
    chains: int = CHAINS
    budgets: tuple[int, ...] = (BUDGET,)
    start: str | None = None
    end: str | None = None
    sampling: str = ""

    def __post_init__(self) -> None:
        UNCHANGED.changed(self.sampling)


AUTO: Final = Wish()


def wished(
    mode: str,
    chains: int = CHAINS,
    budget: str = str(BUDGET),
    think_start: str | None = None,
    think_end: str | None = None,
    thinking_sampling: str = "",
) -> list[Wish]:
    """Read what a user wishes about thinking; several wishes ask a model once for each.

    Parameters
    ----------
    mode : str
        As for :class:`Wish`, or "both" for off and on.
    chains : int
    budget : str
        The most tokens of a chain, or several numbers with commas between them, where the same chains are cut.
    think_start : str, optional
        What opens a thought, where the chat template does not tell.
    think_end : str, optional
        What closes a thought, where the chat template does not tell.
    thinking_sampling : str
        How chains are drawn, where not as the model comes: temperature, top_p, top_k and min_p.

    Raises
    ------
    InputError
        For budgets that are none, or for several of them if thinking is off.
    """
    words = [word.strip() for word in budget.split(",")]
    if not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(
            f"a thinking budget of {budget!r}", expected="numbers of tokens, such as 256 or 0,64,256"
        )
    budgets = sorted({int(word) for word in words})
    further = (think_start, think_end, thinking_sampling)
    if len(budgets) == 1:
        modes = ("off", "on") if mode == BOTH else (mode,)
        return [Wish(cast("ThinkingMode", one), chains, (*budgets,), *further) for one in modes]
    if mode == "off":
        raise InputError("several thinking budgets with --thinking off", expected="one of the two")
    return [Wish("on", chains, tuple(budgets[: i + 1]), *further) for i in range(len(budgets))]


def let_think(model: Model, wish: Wish) -> tuple[Model, Chains | None]:
    """Return the model as it answers, and how it thinks first; None if it does not.

    Raises
    ------
    InputError
        For an unknown mode, a number that makes no sense, or a model that is to think and cannot.
    """
    check_name("mode of thinking", wish.mode, get_args(ThinkingMode))
    if wish.mode == "off":
        return model, None
    alone = any(found.name == REASONING for found in findings_of(model))
    given = wish.start is not None or wish.end is not None
    thinker = model if isinstance(model, Thinks) and model.capabilities.thought else None
    if alone and (wish.mode == "auto" or thinker is None or (thinker.manner is None and not given)):
        if wish.sampling or len(wish.budgets) > 1:
            what = "thinking_sampling" if wish.sampling else "several thinking budgets"
            raise InputError(f"{what}, though {model.name} thinks as its server has it")
        return model, None  # It thinks by itself, and its answers are counted.
    if thinker is None:
        if wish.mode == "auto":
            return model, None
        raise InputError(
            f"{model.name} cannot be asked after a thought that is given to it",
            expected="a model in this process (hf:, gguf: or vllm:), or a server whose model thinks by itself",
        )
    own = thinker.manner
    if given:
        manner = given_manner(wish.start, wish.end, UNCHANGED if own is None else own.sampling)
    elif own is None and wish.mode == "on":
        raise InputError(
            f"nothing in the template or the tokens of {model.name} tells how it thinks",
            expected="think_start and think_end, or no thinking",
        )
    elif own is None or (wish.mode == "auto" and own.verdict != "always"):
        return model, None
    else:
        manner = own
    if sum(map(bool, wish.budgets)) > 1 and thinker.capabilities.thought == "closed":
        raise InputError(
            f"{model.name} cannot go on with a thought that was cut, as several budgets need",
            expected="0 and one other budget, one --thinking-budget a run, or completions (prompt_format=plain)",
        )
    manner = replace(manner, sampling=manner.sampling.changed(wish.sampling))
    return thinker.in_thinking(manner), Chains(wish.chains, wish.budgets, manner)
