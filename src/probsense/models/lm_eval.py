"""Puts our requests to models of lm-evaluation-harness, which know log-likelihoods of texts and generated ones.

``lm-eval:CLASS`` is such a model, with the arguments that its class takes; tasks of ours inside the harness ask others.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.core.errors import InputError, ModelError, check_name, one_line
from probsense.core.records import (
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
    Turn,
    opened,
    opened_turns,
)
from probsense.core.registry import install
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.next_token.label_mass import score_requests, spelled_mass
from probsense.models.transformers.files import folder_hash

BATCH = 1024
"""Score requests that a class is given at once: it sorts and batches them itself."""
PACKAGES = ("lm_eval", "torch", "transformers", "vllm", "sglang", "llama_cpp_python")
"""Packages whose versions can change a number."""
SECRET = frozenset({"api_key", "auth_token", "token", "password"})
"""Arguments whose values are kept nowhere."""


@dataclass(slots=True)
class HarnessModel:
    """A model as the harness runs it: it gives the log-likelihood of an option, and not those of its tokens.

    Attributes
    ----------
    name : str
    details : Mapping
    lm : Any
        The ``lm_eval.api.model.LM``.
    """

    name: str
    details: Mapping[str, Json]
    lm: Any
    # Exact up to how the harness splits context and continuation; nobody counts tokens.
    capabilities: Capabilities = field(default=Capabilities(score=True))
    usage: Usage = field(default_factory=Usage)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the log-likelihood of each option after its prefix, and of the suffix after both."""
        for start in range(0, len(requests), BATCH):
            part = requests[start : start + BATCH]
            begun = time.perf_counter()
            found = iter(self._loglikelihoods([pair for request in part for pair in pairs(request)]))
            self.usage += Usage(seconds=time.perf_counter() - begun)
            yield [(i, response_of(request, found)) for i, request in enumerate(part, start)]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Refuse: the harness shows no distribution over words."""
        raise ModelError(f"{self.name} gives no label mass, it only scores options")

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Refuse: texts would depend on the requests beside them."""
        raise ModelError(f"{self.name} writes no texts here, it only scores options")

    def _loglikelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        from lm_eval.api.instance import Instance

        asked = [Instance("loglikelihood", {}, pair, i) for i, pair in enumerate(pairs)]
        try:
            return [float(value) for value, _ in self.lm.loglikelihood(asked, disable_tqdm=True)]
        except Exception as error:  # The back-ends raise errors of any kind.
            said = one_line(error)
            raise ModelError(f"{self.name}: lm-evaluation-harness cannot score this: {said}") from error


def load(argument: str, *, model_arg: Sequence[str] = ()) -> HarnessModel:
    """Load a model through a class of lm-evaluation-harness, such as hf, vllm, sglang, gguf or local-completions.

    Parameters
    ----------
    argument : str
        Name of the class; its arguments may follow, as in hf,pretrained=FOLDER,device=cpu.
    model_arg : sequence of str
        An argument of the class as NAME=VALUE, such as pretrained=FOLDER.

    Raises
    ------
    InputError
        For an unknown class, and for an argument without a value.
    ModelError
        Without lm-evaluation-harness, or if the class cannot be loaded or refuses its arguments.
    """
    try:
        from lm_eval.api.registry import get_model
        from lm_eval.models import MODEL_MAPPING
        from lm_eval.utils import simple_parse_args_string
    except ImportError:
        raise ModelError(f"lm-eval:{argument} needs lm-eval: {install('lm-eval')}") from None
    kind, *words = [*argument.split(","), *model_arg]
    check_name("model of lm-evaluation-harness", kind, MODEL_MAPPING)
    arguments: dict[str, Json] = {}
    for word in words:
        name, equals, _ = word.partition("=")
        if not name or not equals:
            raise InputError(f"the argument {word!r} of lm-eval:{kind}", expected="NAME=VALUE")
        arguments |= simple_parse_args_string(word)
    name = f"lm-eval:{argument}"
    try:
        lm = get_model(kind)(**arguments)
    except Exception as error:  # The back-ends raise errors of any kind.
        raise ModelError(f"{name} cannot be loaded: {one_line(error)}") from error
    details: dict[str, Json] = {
        "backend": "lm-eval",
        "class": kind,
        "arguments": {key: _identity(value) for key, value in arguments.items() if key not in SECRET},
        "versions": _versions(),
    }
    return HarnessModel(name, details, lm)


def _identity(value: Json) -> Json:
    """Return the hash of a folder, wherever it lies, and any other value as it is."""
    folder = isinstance(value, str) and Path(value).is_dir()
    return f"sha256:{folder_hash(Path(str(value)))}" if folder else value


def _versions() -> dict[str, Json]:
    found: dict[str, Json] = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def pairs(request: ScoreRequest) -> Iterator[tuple[str, str]]:
    """Yield what the harness is asked: each option that is not empty after the prefix, and the suffix after both."""
    prefix = opened(request.system, request.prefix)
    for option in request.options:
        if option:
            yield prefix, option
        if request.suffix:
            yield prefix + option, request.suffix


def response_of(request: ScoreRequest, found: Iterator[float]) -> ScoreResponse | Failure:
    """Take the log-likelihoods of the :func:`pairs` of a request, all of them, from those of many."""
    asked = [(option, request.suffix) for option in request.options]
    values = [[next(found) if text else None for text in both] for both in asked]
    for text, value in zip(chain(*asked), chain(*values), strict=True):
        if value is not None and not math.isfinite(value):
            return Failure(f"{text!r} has a log-likelihood of {value:g}", 1)
    return ScoreResponse(
        tuple(
            OptionScore(TokenLogprobs.of_sum(option, own), TokenLogprobs.of_sum(suffix, after))
            for (option, suffix), (own, after) in zip(asked, values, strict=True)
        )
    )


IMPOSSIBLE: Final = -sys.float_info.max
"""Stands for a log-likelihood of −∞, which JSON does not know."""
Prompt: TypeAlias = Callable[[Sequence[Turn], str], str]
"""Puts a conversation and what is said last into the text that the model reads."""


class Piece(NamedTuple):
    """A request of the harness: its kind, and the arguments of that kind."""

    kind: str
    arguments: tuple[Any, ...]


def pieces(request: Request, prompt: Prompt, *, reply: bool = False) -> list[Piece]:
    """Return the requests of the harness that together answer one of ours.

    Parameters
    ----------
    request : Request
    prompt : callable
        As in :data:`Prompt`.
    reply : bool
        Whether options and labels are the beginning of a reply, so that no blank separates them from the prompt.
    """
    match request:
        case ScoreRequest():
            before = prompt((), opened(request.system, request.prefix))
            asked = replace(_told(request, reply), prefix=before, system="")
            return [Piece("loglikelihood", pair) for pair in pairs(asked)]
        case LabelRequest():
            return pieces(score_requests([request])[0], prompt, reply=reply)
        case SampleRequest():
            drawn = request.temperature > 0
            arguments = {
                "until": [*request.stop],
                "max_gen_toks": request.max_tokens,
                "do_sample": drawn,
                **({"temperature": request.temperature, "top_p": request.top_p} if drawn else {}),
            }
            text = prompt(*opened_turns(request.system, request.turns, request.prompt))
            return [Piece("generate_until", (text, arguments))] * request.n


def response(request: Request, results: Iterator[Any], *, reply: bool = False) -> Response:
    """Take the answer to a request from the results of its :func:`pieces`, in their order.

    The harness gives the log-likelihoods of whole texts, and not those of their tokens.
    """
    match request:
        case ScoreRequest():
            found = response_of(
                _told(request, reply), (max(float(value), IMPOSSIBLE) for value, _ in results)
            )
            if isinstance(found, Failure):
                raise ModelError(found.reason)
            return found
        case LabelRequest():
            asked = score_requests([request])[0]
            scored = response(asked, results, reply=reply)
            assert isinstance(scored, ScoreResponse)
            # Mass is not counted twice for spellings of the same tokens, which only their texts tell apart here.
            spelled = [
                OptionScore(replace(score.option, tokens=(text,)), score.suffix)
                for text, score in zip(_told(asked, reply).options, scored.options, strict=True)
            ]
            ((_, mass),) = next(spelled_mass([[(0, ScoreResponse((*spelled,)))]], [request]))
            assert not isinstance(mass, Failure)
            return mass
        case SampleRequest():
            return SampleResponse(tuple(islice(results, request.n)))


def _told(request: ScoreRequest, reply: bool) -> ScoreRequest:
    """Return the request with its options as the model is to write them."""
    return replace(
        request, options=tuple(option.removeprefix(" ") if reply else option for option in request.options)
    )
