"""A small OpenAI-compatible server on loopback, with a toy model behind it, that can be told to lie."""

import math
import re
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from support.servers import hostile

WORDS = re.findall(
    r" ?\w+|,",
    "The cat sat on the mat, and the dog lay on the rug yes no yes no Yes No The capital of France is Paris"
    " London Rome stone feather fire hot",
)
VOCABULARY = sorted({*WORDS, "Yes", "No", *map(chr, range(32, 127)), "\n"})
NUMBER = {token: i for i, token in enumerate(VOCABULARY)}
IS_WORD = np.array([len(token) > 1 for token in VOCABULARY])


def tokens_of(text):
    """The longest token first; what is no token is left out."""
    found = []
    while text:
        token = next((text[:n] for n in range(12, 0, -1) if text[:n] in NUMBER), "")
        if token:
            found.append(token)
        text = text[len(token) or 1 :]
    return found


def distribution(context):
    """Log-probabilities of all tokens after a context; words are likelier than letters."""
    return after(*context[-4:]).copy()


@cache
def after(*last):
    rng = np.random.default_rng(zlib.crc32("|".join(last).encode()))
    logits = 2 * rng.standard_normal(len(VOCABULARY)) + 3.0 * IS_WORD
    if last and last[-1] == "<assistant>":
        logits[NUMBER["Yes"]] += 12
    return logits - np.logaddexp.reduce(logits)


@dataclass
class Habits:
    """What the server does; by default all that can be asked for, as it should be."""

    model: str = "toy"
    key: str = ""
    routes: tuple[str, ...] = ("chat", "completions")
    echo: str = "honest"  # or refused, ignored, shifted, late
    prompt_logprobs: str = "honest"  # or ignored
    most: int = 20
    label_ids: bool = True
    n: str = "honest"  # or ignored, copied
    slots: int = 64
    seed: str = "honest"  # or ignored, fixed
    bos: tuple[str, ...] = ("<s>",)
    factor: float = 1.0
    rescaled: bool = False
    blank: bool = False
    reasoning: bool = False
    choices: bool = True
    breaks: bool = False
    noise: float = 0.0
    penalty: float = 0.0
    cut: float = math.inf
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def reply(self, path, body):
        """Status and answer."""
        self.asked.append((path, body or {}))
        route = {"/v1/chat/completions": "chat", "/v1/completions": "completions"}.get(path, "")
        if body is None or route not in self.routes:
            return 404, {"error": {"message": "no such route"}}
        if body["model"] != self.model:
            return 404, {"error": {"message": "no such model"}}
        if self.breaks and body.get("logprobs"):
            return 500, {"error": {"message": "logits were not kept"}}
        if fault := self._fault(route, body):
            return 400, {"error": {"message": fault}}
        answer = {"model": "toy", "system_fingerprint": "fp_1"}
        if self.choices:
            answer["choices"] = self._choices(route, body)
        return 200, answer

    def _fault(self, route, body):
        k = body.get("top_logprobs", 0) if route == "chat" else body.get("logprobs", 0)
        if self.reasoning and {"max_tokens", "temperature", "logprobs", "seed"} & set(body):
            return "use max_completion_tokens"
        if k > self.most or (self.most == 0 and body.get("logprobs")):
            return f"at most {self.most} logprobs"
        if body.get("n", 1) > self.slots:
            return "n_cmpl cannot be greater than the number of slots, please increase -np"
        if body.get("echo") and self.echo == "refused":
            return "echo is not supported"
        return ""

    def _choices(self, route, body):
        if route == "chat":
            before = [*self.bos, "<user>", *tokens_of(body["messages"][-1]["content"]), "<assistant>"]
        else:
            before = [*self.bos, *tokens_of(body["prompt"])]
        count = body.get("n", 1) if self.n != "ignored" else 1
        seed = body.get("seed") if self.seed == "honest" else 0 if self.seed == "fixed" else None
        start = len(self.asked) + 1001 if seed is None else seed
        return [
            self._choice(route, body, before, np.random.default_rng([start, i * (self.n != "copied")]))
            for i in range(count)
        ]

    def _choice(self, route, body, before, rng):
        written = []
        for _ in range(body.get("max_tokens", 3)):
            logp = distribution([*before, *written])
            logp[[NUMBER[t] for t in {*before, *written} & NUMBER.keys()]] -= self.penalty
            logp[logp < logp.max() - self.cut] = -np.inf
            if body.get("temperature", 1):
                logp = logp + rng.gumbel(size=len(logp))
            written.append("\n" if self.blank and not written else VOCABULARY[int(np.argmax(logp))])
        choice = {"finish_reason": "length"}
        text = "".join(written)
        if self.reasoning:
            text = "Yes"
            choice["finish_reason"] = "stop"
        if route == "chat":
            choice["message"] = {"role": "assistant", "content": text}
        else:
            choice["text"] = ("".join(before) if body.get("echo") else "") + text
        if body.get("logprobs"):
            choice["logprobs"] = self._logprobs(route, body, before, written)
        if body.get("prompt_logprobs") is not None and self.prompt_logprobs == "honest":
            choice["prompt_logprobs"] = [
                None if x is None else {str(NUMBER.get(t, 0)): {"logprob": x, "rank": 1, "decoded_token": t}}
                for t, x in zip(before, self._values(before), strict=True)
            ]
        return choice

    def _values(self, tokens):
        noise = np.random.default_rng(len(self.asked)).uniform(-self.noise, 0)
        found = [
            float(distribution(tokens[:i])[NUMBER[t]]) + noise if t in NUMBER else 0.0
            for i, t in enumerate(tokens)
        ]
        return [None, *found[1:]]

    def _logprobs(self, route, body, before, written):
        whole = [*before, *written]
        values = self._values(whole)
        echoes = body.get("echo") and self.echo != "ignored"
        if self.echo == "shifted" and body.get("echo"):
            values = [*values[1:], values[-1]]
        first = 0 if echoes else len(before)
        tops = [self._top(body, whole[:i]) for i in range(len(before), len(whole))]
        if self.blank and not body.get("echo"):
            values[len(before)] = tops[0][0][1]
        of_prompt = [dict(self._top(body, whole[:i])) for i in range(first, len(before))]
        if self.echo == "late":
            of_prompt = [{token: -0.1} for token in whole[first + 1 :]][: len(of_prompt)]
        if self.rescaled:
            shown = zip(written, tops, values[len(before) :], strict=True)
            values[len(before) :] = [dict(top).get(t, x) for t, top, x in shown]
        if route == "chat":
            return {
                "content": [
                    {"token": t, "logprob": x, "top_logprobs": [{"token": a, "logprob": b} for a, b in top]}
                    for t, x, top in zip(whole[first:], values[first:], tops, strict=True)
                ]
            }
        shown = whole[first:]
        return {
            "text_offset": [
                len("".join(shown[:i])) for i in range(len(shown))
            ],  # as vLLM counts, "<s>" included
            "tokens": shown,
            "token_logprobs": values[first:],
            "top_logprobs": [*of_prompt, *map(dict, tops)],
        }

    def _top(self, body, context):
        logp = distribution(context)
        k = body.get("top_logprobs", body["logprobs"])
        chosen = list(map(int, np.argsort(-logp)[:k]))
        if self.label_ids:
            chosen = [*dict.fromkeys([*chosen, *body.get("logprob_token_ids", ())])]
        if self.rescaled:
            logp = logp - np.logaddexp.reduce(logp[chosen])
        names = {
            i: f"token_id:{i}" if body.get("return_tokens_as_token_ids") else VOCABULARY[i] for i in chosen
        }
        if self.blank:
            names[chosen[0]] = "\n"
        return [(names[i], float(logp[i]) + math.log(self.factor)) for i in chosen]


@contextmanager
def serving(habits):
    """The base URL of a server with these habits, for as long as the block lasts."""

    def reply(path, head, body):
        if habits.key and f"\r\nauthorization: bearer {habits.key}\r\n".lower() not in head.lower():
            return hostile.as_json({"error": {"message": "wrong key"}}, 401)
        status, answer = habits.reply(path, body or None)
        return hostile.as_json(answer, status)

    with hostile.serving(reply=reply) as server:
        yield server.url
