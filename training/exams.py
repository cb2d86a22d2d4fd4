"""Questions of ``Infer.normal`` to learn from, and held-out sets: other names, skins, sizes, structures and forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from invented import PLAIN
from lessons import PLAIN_SKIN, Text
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.tasks.worldsense.generate.design import MATCHED_1, PUBLISHED, Design, cells
from probsense.tasks.worldsense.generate.forms.families import Split
from probsense.tasks.worldsense.generate.generator import DrawnTuple, draw_tuples
from probsense.tasks.worldsense.generate.skins import OrderSkin, load_skins
from probsense.tasks.worldsense.measures.shortcuts import Asked, Score, shortcuts
from probsense.tasks.worldsense.questions.format import INFER
from probsense.tasks.worldsense.text.parse import packaged_grammars, parse_text
from probsense.tasks.worldsense.text.templates import Skins
from train_tiny import join

PROBLEM = "Infer.normal"
REGIMES = (PUBLISHED, MATCHED_1)
LEARNT = replace(PLAIN_SKIN, names=tuple(PLAIN[::2]))
HELD_OUT = replace(PLAIN_SKIN, names=tuple(PLAIN[1::2]))
TEST = tuple(skin for skin in load_skins("test") if isinstance(skin, OrderSkin))


class Kind(NamedTuple):
    """Which questions there are: their skins, sizes, complexities (specification 4.2), and side of the forms."""

    name: str
    skins: tuple[OrderSkin, ...]
    sizes: tuple[int, ...] = (4, 5)
    complexities: tuple[int, ...] = (0, 1)
    split: Split | None = None


TRAINED = Kind("trained", (LEARNT,))
KINDS = (
    Kind("other names", (HELD_OUT,)),
    Kind("size 6", (HELD_OUT,), (6,)),
    Kind("complexity 2", (HELD_OUT,), complexities=(2,)),
    Kind("test skins", TEST),
)


def split_kinds(share: float, seed: int) -> tuple[Kind, tuple[Kind, ...]]:
    """Hold out forms, names and skins: what is learnt from, and what of either axis is in exams.

    Parameters
    ----------
    share : float
        Of the forms that are held out.
    seed : int
        Of what is held out.
    """
    met, held = (Split(share, seed, held_out=out) for out in (False, True))
    exams = tuple(
        Kind(f"{forms}, {told}", skins, complexities=(0, 1, 2), split=side)
        for told, skins in (("other names", (HELD_OUT,)), ("test skins", TEST))
        for forms, side in (("forms met", met), ("forms held out", held))
    )
    return Kind("trained", (LEARNT,), complexities=(0, 1, 2), split=met), exams


class Exam(NamedTuple):
    """A held-out set.

    Attributes
    ----------
    regime : str
    kind : Kind
    trials : list of tuple
        Text, gold answer and number of the tuple of each trial.
    ceiling : Score
        What the best responder reaches that counts and builds no order.
    """

    regime: str
    kind: Kind
    trials: list[tuple[str, str, int]]
    ceiling: Score


def exams(
    kinds: Sequence[Kind], tuples: int, of_ceiling: int, regimes: Sequence[str] = REGIMES
) -> list[Exam]:
    """Draw the held-out sets of regimes.

    Parameters
    ----------
    kinds : sequence of Kind
    tuples : int
        About how many tuples of each set a model answers.
    of_ceiling : int
        About how many tuples of another set give the shortcut ceiling.
    regimes : sequence of str
    """
    found = []
    for regime in regimes:
        for kind in kinds:
            drawn = enumerate(_tuples(1, regime, kind, tuples))
            trials = [(variant.text, variant.gold, i) for i, one in drawn for variant in one.variants]
            found.append(Exam(regime, kind, trials, _ceiling(regime, kind, of_ceiling)))
    return found


def _tuples(seed: int, regime: str, kind: Kind, about: int) -> Iterator[DrawnTuple]:
    """Yield tuples of a kind, as many of each cell."""
    design = Design(seed, kind.sizes, (PROBLEM,), skins=kind.skins, regime=regime, split=kind.split)
    wanted = sum(cell.complexity in kind.complexities for cell in cells(design))
    design = replace(design, tuples=max(1, round(about / wanted)))
    return (drawn for drawn in draw_tuples(design) if drawn.cell.complexity in kind.complexities)


def _ceiling(regime: str, kind: Kind, tuples: int) -> Score:
    """Find the shortcut ceiling of a kind of questions, by tables that know the size."""
    grammars = [Skins(kind.skins), *packaged_grammars()]
    asked = [
        Asked(PROBLEM, drawn.cell.size, str(i), variant.gold, parse_text(variant.text, grammars))
        for i, drawn in enumerate(_tuples(2, regime, kind, tuples))
        for variant in drawn.variants
    ]
    scores = [cell.ceiling for cell in shortcuts(asked)]
    return Score(
        float(np.mean([score.value for score in scores])),
        float(np.sqrt(sum(score.stderr**2 for score in scores)) / len(scores)),
        sum(score.tuples for score in scores),
    )


def lessons_of(regime: str, seed: int, trained: Kind = TRAINED) -> Iterator[Text]:
    """Yield questions of a regime and kind to learn from, one a text."""
    number = seed * 10**6
    while True:
        number += 1
        drawn = _tuples(number, regime, trained, 1000)
        questions = [(variant.text, variant.gold) for one in drawn for variant in one.variants]
        for i in np.random.default_rng(number).permutation(len(questions)):
            yield [questions[i]]


def sit(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, exam: Exam, batch: int = 64) -> Estimate:
    """Let a model answer an exam; the more probable answer counts.

    Returns
    -------
    Estimate
        Accuracy, with an interval over questions.
    """
    right = right_answers(model, tokenizer, [(text, gold) for text, gold, _ in exam.trials], batch)
    return mean_estimate("accuracy", {}, right, [number for *_, number in exam.trials], chance=0.5)


@torch.no_grad()
def right_answers(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    questions: Sequence[tuple[str, str]],
    batch: int,
) -> list[bool]:
    """Tell for each question of ``Infer`` whether the model gives its gold answer the higher probability."""
    order = sorted(range(len(questions)), key=lambda i: len(questions[i][0]))
    rest = iter(order)
    right = [False] * len(questions)
    while some := list(islice(rest, batch)):
        ids = [tokenizer(questions[i][0])["input_ids"] for i in some]
        rows = torch.zeros(len(ids), max(map(len, ids)), dtype=torch.long)
        for row, of_text in zip(rows, ids, strict=True):
            row[: len(of_text)] = torch.tensor(of_text)
        hidden = model.model(input_ids=rows).last_hidden_state
        last = hidden[torch.arange(len(ids)), torch.tensor([len(of_text) - 1 for of_text in ids])]
        for i, logits in zip(some, model.lm_head(last), strict=True):
            text, gold = questions[i]
            scores = {answer: float(logits[_token(tokenizer, join(text) + answer)]) for answer in INFER}
            right[i] = max(scores, key=lambda answer: scores[answer]) == gold
    return right


def _token(tokenizer: PreTrainedTokenizerFast, answer: str) -> int:
    """Return the one token of an answer."""
    (token,) = tokenizer(answer, add_special_tokens=False)["input_ids"]
    return int(token)
