"""What tests of WorldSense share: drawn sets and their labels, what holds in an order, figures over all problems."""

import math
import statistics
from collections import defaultdict
from itertools import count, permutations
from typing import Any

import polars as pl

from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.tasks.worldsense.generate.sets import generate
from probsense.tasks.worldsense.measures.shortcuts import whole_tuples
from probsense.tasks.worldsense.questions.description import Described
from probsense.tasks.worldsense.questions.format import GOLDS, PROBLEMS
from probsense.tasks.worldsense.questions.trials import Trial
from probsense.tasks.worldsense.text.reading import packaged_reader
from probsense.tasks.worldsense.text.skins import OrderSkin
from support.scored import option

Record = dict[str, Any]
Row = dict[str, Any]

INFER = "{story}\nIs the following sentence '{claim}' TRUE or FALSE ?\nOnly respond with one word."
CONSIST = (
    "{scene}. If I say '{facts}.', is the situation I just described possible or impossible ? Say POSSIBLE."
)
COMPL_Q1 = (
    "{story} \n(1) {one}, (2) {other}, or (3) is it impossible to decide ?\nOnly respond with a number."
)
COMPL_Q2 = (
    "{story} \nChoose: (1) {one}, (2) {other}, or (3) it is impossible to decide.\nOne of (1), (2), or (3)."
)

MELONS = OrderSkin(
    name="melons.weight",
    kind="scalar",
    scene="{n} melons lie on a cart",
    list="From the heaviest to the lightest, the melons are",
    forward="{a} is heavier than {b}",
    converse="{a} is lighter than {b}",
    between="{m} is in weight between {a} and {b}",
    outside="{m} is in weight outside the range between {a} and {b}",
    first="{a} is the heaviest of all",
    last="{a} is the lightest of all",
    foreign=(("{a} is sweeter than {b}", "{a} is sourer than {b}"),),
    names=("the green melon", "the grey melon", "the striped melon", "the tiny melon", "the odd melon"),
)
"""A skin of a user's own."""


WHOLE = dict.fromkeys(("key", "size", "expected_len", "depth"), pl.Int64)
KNOWN = ("model", "prompting", "tuple_id", "problem", "gold", "resp", "corrected")
TEXTS = dict.fromkeys((*KNOWN, "skin", "form"), pl.String)


def rows_of(tuples, resp, **who):
    """Rows of whole tuples, given as (problem, size)."""
    keys = count(1)
    rows = []
    for number, (problem, size) in enumerate(tuples):
        for gold in PROBLEMS[problem]:
            row = {"model": "m", "prompting": "basic", "key": next(keys), "tuple_id": f"t{number}"} | who
            row |= {"problem": problem, "size": size, "expected_len": len(PROBLEMS[problem]), "gold": gold}
            rows.append(row | {"resp": resp(row), "corrected": None})
    return rows


def table(rows):
    """Make the table of answers that :mod:`measures.scores` describes."""
    return pl.DataFrame(rows, schema={**WHOLE, **TEXTS})


def gold(record):
    """Return the label of a record."""
    return GOLDS[record["goldresp_obfusc"]]


def records_of(design):
    """Return all records of a set."""
    return [record for records in generate(design) for record in records]


def trial_of(record):
    """Return a trial that names no things, for our own skins."""
    cell = (record["problemname"], record["problemsize"], record["tuple_ID"], gold(record))
    described = Described(record["descr"], record["query"], tuple(record["objects"]))
    return Trial(*cell, record["Key"], record["text"], (), described)


def questions_of(records):
    """Read the questions of records."""
    return whole_tuples(map(trial_of, records), packaged_reader())


def accuracy_of(trials, answers):
    """Return the accuracy of answers, its error by tuples, and how many these are."""
    tuples = defaultdict(float)
    for trial, answer in zip(trials, answers, strict=True):
        right = answer if trial.gold in ("TRUE", "POSSIBLE", "1", "2") else 1 - answer
        tuples[trial.tuple_id] += right * (0.25 if trial.gold in ("1", "2") else 0.5)
    values = list(tuples.values())
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), error, len(values)


def true_in(order, claim):
    """Whether a claim of two things, or of one between two others, holds in an order."""
    places = {thing: place for place, thing in enumerate(order)}
    middle, *ends = (places[thing] for thing in claim)
    return middle < ends[0] if len(ends) == 1 else min(ends) < middle < max(ends)


def verdicts(n, facts, claim):
    """Return what a claim can be where facts hold, by all orders of n things."""
    orders = (order for order in permutations(range(n)) if all(true_in(order, fact) for fact in facts))
    return {true_in(order, claim) for order in orders}


def overall(estimates):
    """Return the estimates over all problems and skins, by measure and method."""
    return {(e.measure, e.method): e for e in estimates if not {"problem", "skin", "depth"} & set(e.by)}


def answers_of(task, items, method, choose, share=0.9):
    """Give a share of the probability to the word that is chosen for an item by its text; "" chooses none."""
    answers = {}
    for item in items:
        for request in task.requests(item, method, {}):
            if isinstance(request, LabelRequest):
                word = choose(item, request.prompt)
                mass = {name: share * (forms == (word,)) for name, forms in request.labels}
                answers[request] = LabelResponse(mass, 1 - sum(mass.values()))
            elif isinstance(request, ScoreRequest):
                word = choose(item, request.prefix)
                shares = [share if one.strip() == word else 1e-9 for one in request.options]
                scores = [option(one, [own]) for one, own in zip(request.options, shares, strict=True)]
                answers[request] = ScoreResponse(tuple(scores))
    return answers
