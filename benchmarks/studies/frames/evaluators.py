"""Lists evaluators of open answers: those of the package and others, each with the settings from which one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment

from probsense.analysis.distributions.divergence import kl, laplace
from probsense.analysis.open_answers.clusters import membership
from probsense.analysis.open_answers.comparison import instances
from probsense.analysis.open_answers.gold import Gold, View, gold, mean_over
from probsense.analysis.open_answers.probeval import assign, cluster_scores
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats, Question
from probsense.analysis.open_answers.similarity import Similarities
from samples import ANSWERS, Case

ENSEMBLES = (
    ("minilm", "minilm,question"),
    ("minilm", "minilm,chars"),
    ("minilm", "minilm,question", "minilm,chars,question"),
    ("minilm", "minilm,question", "minilm,chars,wordnet,question"),
)
"""Sets of similarities, each the mean of some, over which divergences are averaged."""

SOURCES = ("minilm", "chars", "wordnet", "question")
"""Similarities that are averaged; "question" is that of MiniLM's vectors of a question and an answer together."""

MEANS = tuple(
    ",".join(names)
    for size in range(2, len(SOURCES) + 1)
    for names in combinations(SOURCES, size)
    if "minilm" in names
)
"""All means of several of them."""

Scorer = Callable[[NDArray[np.int64]], Floats]
"""Maps samples as counts, shape (S, U), to scores; the lower, the closer to people."""

Evaluator = Callable[[Case], Scorer]


class Family(NamedTuple):
    """A kind of evaluator, with the function that draws one at random."""

    name: str
    clusters: str
    draw: Callable[[np.random.Generator], tuple[str, Evaluator]]


def divergence(people: Gold, assigned: Sequence[Floats], views: Sequence[View], smoothing: float) -> Scorer:
    """Compute the mean over views of KL(people ‖ sample)."""
    golds = [laplace(people.counts @ view.people(), smoothing) for view in views]
    return lambda counts: mean_over(
        views, [kl(p, laplace(counts @ a, smoothing)) for p, a in zip(golds, assigned, strict=True)]
    )


def grouped(case: Case) -> Question:
    """Keep only those of people's answers that are in clusters, as published evaluations do."""
    inside = {answer for cluster in case.question.clusters for answer in cluster.answers}
    raw = {answer: count for answer, count in case.question.raw.items() if answer in inside}
    return replace(case.question, raw=raw)


def own(similarity: str, settings: ComparisonSettings, *, best: bool = False) -> Evaluator:
    """Make the package's evaluator, with all people for gold; with ``best`` by the partition of the best silhouette."""
    return lambda case: scorer(gold(grouped(case), case.alike[similarity], settings), case, settings, best)


def ensemble(means: Sequence[Sequence[str]], settings: ComparisonSettings) -> Evaluator:
    """Make the package's evaluator by several similarities, each with partitions and the kernel, half and half.

    Each of the ``means`` is one similarity, the mean of contrasted ones.
    """
    names = [*dict.fromkeys(name for mean in means for name in mean)]
    contrasts = tuple(
        settings.question_contrast if name == "question" else settings.contrast for name in names
    )
    places = tuple(tuple(names.index(name) for name in mean) for mean in means)

    def evaluator(case: Case) -> Scorer:
        several = Similarities(tuple(case.alike[name] for name in names), contrasts, places, kernel=True)
        automatic = replace(settings, clusters="automatic")
        people = gold(grouped(case), several.sources[0], automatic, lambda _: several)
        return scorer(people, case, settings)

    return evaluator


def parted(together: Sequence[str]) -> list[list[str]]:
    """Part names that are joined by commas."""
    return [names.split(",") for names in together]


def scorer(people: Gold, case: Case, settings: ComparisonSettings, best: bool = False) -> Scorer:
    """Score the samples of a case by the package's views of people's answers."""
    alike = people.contrasted(people.alike(case.strings))
    everyone = np.ones((1, len(people.strings)), dtype=np.bool_)
    views = (people.shown,) if best else people.views
    assigned = [view.assign(alike[view.similarity], everyone, settings)[0] for view in views]
    return divergence(people, assigned, views, settings.smoothing)


def sharp(
    floor: float, smoothing: float, threshold: float | None = None, method: str = "single"
) -> Evaluator:
    """Score by WordNet with hard matching, on people's clusters or on those of a tree cut at a distance."""

    def evaluator(case: Case) -> Scorer:
        people = gold(grouped(case), case.alike["wordnet"], ComparisonSettings(contrast=0))
        view = people.shown
        if threshold is not None:
            tree = linkage(people.similarity, method)
            view = View(membership(fcluster(tree, threshold, criterion="distance") - 1))
        scores = cluster_scores(case.alike["wordnet"](case.strings, people.strings), view.members)
        assigned = assign(scores, floor)
        return divergence(people, [assigned], [view], smoothing)

    return evaluator


def transport(cost: Floats, people: NDArray[np.int64], model: NDArray[np.int64]) -> float:
    """Compute the least mean cost of turning some answers into as many others, one for one (Birkhoff 1946)."""
    matrix = cost[np.ix_(model, people)]
    return float(matrix[linear_sum_assignment(matrix)].mean())


def carried(similarity: str, contrast: float, floor: float) -> Evaluator:
    """Score by optimal transport at a cost of 1 − similarity, with similarities below a floor as 0."""

    def evaluator(case: Case) -> Scorer:
        settings = ComparisonSettings(contrast=contrast)
        people = gold(grouped(case), case.alike[similarity], settings)
        alike = people.contrasted(people.alike(case.strings))[0]
        cost = 1 - np.where(alike > floor, alike, 0.0)

        def single(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
            given = instances(counts)
            places = ((np.arange(ANSWERS) + rng.random()) * len(given) / ANSWERS).astype(np.int64)
            return given[np.minimum(places, len(given) - 1)]

        def score(counts: NDArray[np.int64]) -> Floats:
            rng = np.random.default_rng(0)
            theirs = single(people.counts, rng)
            return np.array([transport(cost, theirs, single(row, rng)) for row in counts])

        return score

    return evaluator


def families() -> list[Family]:
    """List every kind of evaluator."""

    def of(name: str, clusters: str, make: Callable[..., Evaluator], **options: Sequence[object]) -> Family:
        def draw(rng: np.random.Generator) -> tuple[str, Evaluator]:
            chosen = {key: values[rng.integers(len(values))] for key, values in options.items()}
            return ", ".join(f"{key} {shown(value)}" for key, value in chosen.items()), make(**chosen)

        return Family(name, clusters, draw)

    def soft(clusters: str, *, best: bool = False, **fixed: object) -> Callable[..., Evaluator]:
        def make(**chosen: object) -> Evaluator:
            return own("minilm", ComparisonSettings(clusters=clusters, **fixed, **chosen), best=best)  # type: ignore[arg-type]

        return make

    def mixed(clusters: str) -> Callable[..., Evaluator]:
        def make(similarity: str, **chosen: object) -> Evaluator:
            return own(similarity, ComparisonSettings(clusters=clusters, **chosen))  # type: ignore[arg-type]

        return make

    def blurred(similarity: str = "minilm", **chosen: object) -> Evaluator:
        return ensemble([[similarity]], ComparisonSettings(**chosen))  # type: ignore[arg-type]

    raw = {"floor": (0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)}
    less = {"contrast": (0.3, 0.5, 0.7, 0.9), "floor": (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55)}
    both = {"temperature": (0.02, 0.03, 0.05, 0.07, 0.1), "smoothing": (0.5, 1.0, 1.5)}
    floors = (0.0, 0.2, 0.26, 0.34, 0.4, 0.5)
    one = (4, 5, 6, 7, 8, 10, 12, 14, 16, 20)
    many = ((4, 8, 16), (5, 7, 10, 14, 20, 28), (6, 12, 24), (8, 16, 32), (3, 6, 12, 24), (10, 20))
    kernel = {"bandwidth": (0.1, 0.15, 0.2, 0.3, 0.4, 0.5), "cut": (0.1, 0.2, 0.3, 0.4)}
    broad = {
        "contrast": (0.0, 0.3, 0.5, 0.7, 0.9),
        "floor": (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55),
    }
    wide = {"bandwidth": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "cut": (0.1, 0.2, 0.3)}
    odds = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    cuts = (0.3, 0.5, 0.7, 0.9, 1.1, 1.4)
    return [
        of("WordNet, best match", "people", sharp, floor=floors, smoothing=(0.5, 1.0, 1.5, 2.0)),
        of("soft cosine", "people", soft("people", contrast=0.0), **raw, **both),
        of("contrasted soft cosine", "people", soft("people"), **less, **both),
        of(
            "tree cut at a distance, WordNet",
            "automatic",
            sharp,
            floor=floors,
            smoothing=(0.5, 1.0, 1.5),
            threshold=cuts,
            method=("single", "average"),
        ),
        of(
            "one number of clusters, soft cosine",
            "automatic",
            soft("automatic", contrast=0.0),
            sizes=[(n,) for n in one],
            **raw,
            **both,
        ),
        of("best silhouette, contrasted", "automatic", soft("automatic", best=True), **less, **both),
        of("several partitions, contrasted", "automatic", soft("automatic"), sizes=many, **less, **both),
        of("kernel, soft cosine", "none", soft("none", contrast=0.0), **kernel, **raw, **both),
        of("kernel, contrasted", "none", soft("none"), **kernel, **less, **both),
        of(
            "optimal transport",
            "none",
            lambda **chosen: carried("minilm", **chosen),
            contrast=(0.0, 0.3, 0.5, 0.7),
            floor=(0.0, 0.2, 0.3, 0.4, 0.5, 0.6),
        ),
        of("kernel, mean of similarities", "none", mixed("none"), similarity=MEANS, **broad, **wide, **both),
        of(
            "several partitions, mean of similarities",
            "automatic",
            mixed("automatic"),
            similarity=MEANS,
            sizes=many,
            **broad,
            **both,
        ),
        of(
            "partitions and kernel, mean of similarities",
            "both",
            blurred,
            similarity=("minilm", *MEANS),
            sizes=many,
            **broad,
            **wide,
            **both,
        ),
        of(
            "several partitions, learned threshold",
            "automatic",
            mixed("automatic"),
            similarity=("threshold",),
            sizes=many,
            contrast=(0.0,),
            floor=(0.5,),
            **both,
        ),
        of(
            "several partitions, logistic regression on pairs",
            "automatic",
            mixed("automatic"),
            similarity=("logistic",),
            sizes=many,
            contrast=(0.0,),
            floor=odds,
            **both,
        ),
        of(
            "kernel, logistic regression on pairs",
            "none",
            mixed("none"),
            similarity=("logistic",),
            contrast=(0.0,),
            floor=odds,
            **wide,
            **both,
        ),
        of(
            "partitions and kernel, contrasted",
            "both",
            blurred,
            sizes=many,
            **less,
            bandwidth=(0.2, 0.3, 0.4, 0.5),
            **both,
        ),
        of(
            "partitions and kernel, several similarities",
            "both",
            lambda similarities, **chosen: ensemble(parted(similarities), ComparisonSettings(**chosen)),
            similarities=ENSEMBLES,
            sizes=many,
            **less,
            bandwidth=(0.2, 0.3, 0.4, 0.5),
            **both,
        ),
    ]


def shown(value: object) -> str:
    """Show a setting as the table has it."""
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
