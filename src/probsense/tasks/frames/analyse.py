"""The analysis of recorded answers: what models answered, set against what people answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from probsense.answers.questions import Question
from probsense.answers.settings import ComparisonSettings
from probsense.errors import InputError
from probsense.records import Json
from probsense.stats.estimate import Estimate
from probsense.tasks.analysis import Analysis
from probsense.tasks.frames import charts
from probsense.tasks.frames.compare import Choice, Compared, compare, notes, sample_size_notes
from probsense.tasks.frames.events import read_frames
from probsense.tasks.frames.measures import figures, own_figures
from probsense.tasks.frames.names import check_name
from probsense.tasks.frames.predictions import Predictions, read_predictions
from probsense.tasks.frames.published import Published, published
from probsense.tasks.frames.similarities import check_similarity

METHODS: Final = ("default", "published")

SUFFIXES: Final = (".gz", ".bz2", ".jsonl", ".ndjson", ".json", "_answers", ".predictions")
"""What the name of a file has beside the name of a model."""


def make_choice(
    method: str,
    *,
    similarity: str | None = None,
    embeddings: str = "chars",
    clusters: str = "people",
    divergence: str | None = None,
    answers: int | None = None,
    seed: int = 0,
) -> Choice | Published:
    """How answers are compared, from the words of a user; what is not said is as the method has it.

    Parameters
    ----------
    method : "default" or "published"
    similarity, embeddings, clusters : str
        As for :class:`~probsense.tasks.frames.published.Published`, or the preferred evaluator.
    divergence : str, optional
        Of the preferred evaluator: what is normalised.
    answers : int, optional
        Of the preferred evaluator: how many answers are compared.
    seed : int

    Raises
    ------
    InputError
        For a word that there is none of, and one that does not belong to the method.
    """
    check_name("method", method, METHODS)
    if method == "published":
        if divergence is not None or answers is not None:
            option = "a number of answers" if divergence is None else "a divergence"
            raise InputError(f"{option} by the method published", expected="the method default")
        return Published(similarity or "wordnet", embeddings, clusters, seed=seed)
    hints = get_type_hints(ComparisonSettings)
    check_name("clusters", clusters, get_args(hints["clusters"]))
    if divergence is not None:
        check_name("divergence", divergence, get_args(hints["divergence"]))
    known = {"clusters": clusters, "divergence": divergence, "answers": answers, "seed": seed}
    settings: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    check_similarity(similarity or "cosine")
    return Choice(similarity or "cosine", embeddings, ComparisonSettings(**settings))


def analyse(
    targets: Path, predictions: Sequence[Path], *, choice: Choice | Published | None = None
) -> Analysis:
    """Analyse recorded answers of models.

    Parameters
    ----------
    targets : Path
        Questions with people's answers: see :func:`~probsense.tasks.frames.events.read_frames`.
    predictions : sequence of Path
        A file for each model: see :func:`~probsense.tasks.frames.predictions.read_predictions`.
    choice : Choice or Published, optional
        How answers are compared: as is to be preferred (the default), or as was published.

    Returns
    -------
    Analysis

    Raises
    ------
    InputError
        For a file that is not what it should be, two files of one name, questions without answers of people, a model
        that answered none of them, and whatever a similarity needs and is not there.
    """
    choice = choice or Choice()
    questions = [frame.people for frame in read_frames(targets) if frame.people.raw]
    if not questions:
        raise InputError("no answers of people", path=targets, expected="answers, clusters, or both")
    models = _read(predictions, {question.id for question in questions}, targets)
    estimates: list[Estimate] = []
    coverage: list[Mapping[str, Json]] = []
    remarks: list[str] = []
    shares: list[charts.Share] = []
    found: dict[str, Compared] = {}
    for model, given in models.items():
        by = {"model": model}
        answered = [question for question in questions if question.id in given.counts]
        row: dict[str, Json] = {
            "model": model,
            "questions": len(questions),
            "answered": len(answered),
            "answers": sum(sum(given.counts[question.id].values()) for question in answered),
        }
        if isinstance(choice, Published):
            estimates += published(answered, given, choice, by)
            categories = {
                question.id: len(question.clusters) + 1 for question in answered if question.clusters
            }
            sizes = {name: sum(given.published[name].values()) for name in categories}
            remarks += [f"{model}: {note}" for note in sample_size_notes(categories, sizes)]
        else:
            compared = compare(questions, given.counts, given.ranked, choice)
            estimates += figures(compared, by)
            estimates += own_figures({q.id: given.counts[q.id] for q in answered}, by)
            found[model] = compared
            row["compared"] = len(compared.results.questions)
            shares += charts.compared_shares(model, questions, compared.results)
            remarks += [f"{model}: {note}" for note in notes(compared)]
        coverage.append(row)
        remarks += [f"{model}: {note}" for note in _file_notes(given, answered)]
    return Analysis(
        task="frames",
        run={
            "targets": str(targets),
            "predictions": [str(path) for path in predictions],
            **choice.facts(),
        },
        estimates=estimates,
        coverage=coverage,
        notes=remarks,
        tables=charts.tables(shares, found, estimates),
    )


def _read(paths: Sequence[Path], asked: set[str], targets: Path) -> dict[str, Predictions]:
    """The answers of each model, by the name of its file."""
    found: dict[str, Predictions] = {}
    for path in paths:
        name = path.name
        for suffix in SUFFIXES:
            name = name.removesuffix(suffix)
        if name in found:
            raise InputError(f"a second file of {name!r}", path=path, expected="a name for each model")
        found[name] = read_predictions(path)
        if not asked & set(found[name].counts):
            one = next(iter(found[name].counts))
            raise InputError(
                f"answers none of the questions of {targets}: {one!r} is not there",
                path=path,
                expected=f"ids such as {min(asked)!r}",
            )
    if not found:
        raise InputError("no answers of a model", expected="at least one file of them")
    return found


def _file_notes(given: Predictions, answered: Sequence[Question]) -> list[str]:
    """What a reader should know about a file of answers."""
    found = []
    if given.listed:
        found.append(
            "every answer is there once: most likely a list, in which it is lost how often each was given"
        )
    unknown = len(given.counts) - len(answered)
    if unknown:
        found.append(f"left out: answers to questions that are not among the targets ({unknown:,})")
    return found
