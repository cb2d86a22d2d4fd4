"""Files without a model: what was understood of one, and recorded answers of models, set against those of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from probsense.analysis.open_answers.questions import ComparisonSettings, Question
from probsense.core.errors import InputError, check_fit, check_name
from probsense.core.files.table import some
from probsense.core.records import Json
from probsense.show.text import counted
from probsense.tasks.base import Analysis, recorded
from probsense.tasks.frames.measures.comparison import Choice, sampled_outcome
from probsense.tasks.frames.measures.published import Published, published_outcome
from probsense.tasks.frames.measures.results import measured
from probsense.tasks.frames.measures.similarities import AUTO, CHARS, definite
from probsense.tasks.frames.questions.frames import Frame
from probsense.tasks.frames.questions.predictions import Predictions, read_predictions
from probsense.tasks.frames.questions.read import frames_of
from probsense.tasks.frames.words import WORDS
from probsense.tasks.results import Results, together
from probsense.tasks.shared.understood import SHOWN, Understood, run_command

SUFFIXES: Final = (".gz", ".bz2", ".jsonl", ".ndjson", ".json", "_answers", ".predictions")
"""What the name of a file has beside the name of a model."""


def analyse(
    data: Path | str,
    *,
    predictions: Path | str | Sequence[Path | str],
    method: Literal["default", "published"] = "default",
    similarity: str = "auto",
    embeddings: str = "auto",
    clusters: Literal["people", "automatic", "none", "hac"] = "people",
    divergence: Literal["kl", "js", "total_variation", "hellinger"] | None = None,
    answers: int | None = None,
    columns: str | Sequence[str] = (),
    seed: int = 0,
) -> Analysis:
    """Analyse recorded answers of models.

    Parameters
    ----------
    data : Path or str
        File of frames with people's answers: JSON lines in the package's layout or the published one, or a table
        (question, answer, count).
    predictions : Path, str or a sequence of them
        A model's answers, as published or as --write-results writes them; a file for each model.
    method : {"default", "published"}
        How answers are compared: default, or published (ProbEval and ProtoQA's measures, quirks and all; similarity
        wordnet, or gaussian if named).
    similarity, embeddings : str
        As for :class:`probsense.tasks.frames.task.Frames`.
    clusters : {"people", "automatic", "none", "hac"}
        Clusters of people's answers: people (made by people, and automatic ones where there are none), automatic or
        none; by the method published people or hac (single linkage).
    divergence : {"kl", "js", "total_variation", "hellinger"}, optional
        What the method default normalises; kl if none is named.
    answers : int, optional
        Number of answers at which the method default compares everybody; 25 if none is named.
    columns : str or sequence of str
        What a column of a table is, such as questions=Q*, answer=said or none=age, where its name does not say so.
    seed : int
        Seeds all draws: those of people's halves and those behind the intervals.

    Returns
    -------
    Analysis

    Raises
    ------
    InputError
        For a file that is not what it should be, two files of one name, questions without answers of people, a model
        that answered none of them, an option that is unknown or does not belong to the method, and a similarity that
        lacks what it needs.
    """
    facts = recorded(locals(), without=("divergence", "answers"))
    options = (("divergence", divergence), ("answers", answers))
    named = {name: value for name, value in options if value is not None}
    choice = make_choice(method, similarity, embeddings, clusters, seed, named)
    targets = Path(data)
    paths = [predictions] if isinstance(predictions, Path | str) else [*predictions]
    read = frames_of(targets, columns)
    questions = [frame.people for frame in read.found if frame.people.raw]
    if not questions:
        raise InputError("no answers of people", path=targets, expected="answers, clusters, or both")
    models = _read([*map(Path, paths)], {question.id for question in questions}, targets)
    found: list[Results] = []
    for model, given in models.items():
        answered = [question for question in questions if question.id in given.counts]
        by: dict[str, Json] = {"model": model}
        if isinstance(choice, Choice):
            outcome = sampled_outcome(questions, given.counts, given.ranked, choice, by)
        else:
            outcome = published_outcome(answered, given, choice, by)
        outcome = outcome.with_notes(outcome.warnings, [*outcome.notes, *_file_notes(given, answered)], model)
        coverage: dict[str, Json] = {
            "model": model,
            "asked": len(questions),
            "answered": len(answered),
            "answers": sum(sum(given.counts[question.id].values()) for question in answered),
        }
        found.append(measured(outcome, coverage, read.notes(targets), questions))
    done = together(found)
    words = WORDS.suited(illustrative=done.illustrative)
    facts = {**facts, **choice.facts()}
    return Analysis("frames", f"Frames: models and {words.people}", facts, done.finished(words), words)


def _read(paths: Sequence[Path], asked: set[str], targets: Path) -> dict[str, Predictions]:
    """Read the answers of each model, by the name of its file."""
    found: dict[str, Predictions] = {}
    for path in paths:
        name = path.name
        for suffix in SUFFIXES:
            name = name.removesuffix(suffix)
        if name in found:
            raise InputError(f"a second file of {name!r}", path=path, expected="a name for each model")
        found[name] = read_predictions(path)
        given = set(found[name].counts)
        check_fit(
            *(len(asked & given), len(given), len(asked)),
            what=f"answered questions (such as {min(given)!r})",
            of=f"questions of {targets}",
            expected=f"ids such as {min(asked)!r}",
            path=path,
        )
    if not found:
        raise InputError("no answers of a model", expected="at least one file of them")
    return found


def _file_notes(given: Predictions, answered: Sequence[Question]) -> list[str]:
    """Tell what a reader should know about a file of answers."""
    listed = "every answer is there once: most likely a list, in which it is lost how often each was given"
    unknown = len(given.counts) - len(answered)
    left_out = f"left out: answers to questions that are not among the targets ({unknown:,})"
    return [*([listed] if given.listed else []), *([left_out] if unknown else [])]


def make_choice(
    method: str, similarity: str, embeddings: str, clusters: Any, seed: int, named: Mapping[str, Any]
) -> Choice | Published:
    """Put the options of ``analyse`` together; each method has its own defaults, and one alone has what is named."""
    check_name("method", method, ("default", "published"))
    if method == "published":
        for option in named:
            raise InputError(f"the option {option!r} by the method published", expected="the method default")
        vectors = CHARS if embeddings == AUTO else definite(embeddings)
        return Published("wordnet" if similarity == AUTO else similarity, vectors, clusters, seed=seed)
    return Choice.of(similarity, embeddings, ComparisonSettings(clusters, seed=seed, **named))


def check_data(file: Path, *, columns: str | Sequence[str] = ()) -> Understood:
    """Read a file of frames, and say what was understood.

    Parameters
    ----------
    file : Path
        File of frames: JSON lines, or a table of people's answers.
    columns : str or sequence of str
        As for :func:`probsense.tasks.frames.recorded.analyse`.
    """
    frames, said, dropped, _ = frames_of(Path(file), columns)
    people = [frame.people for frame in frames]
    counts = {
        "frames": len(frames),
        "answers": sum(sum(one.raw.values()) for one in people),
        "different": sum(len(one.raw) for one in people),
        "without_answers": sum(not one.raw for one in people),
        "with_clusters": sum(bool(one.clusters) for one in people),
        "illustrative": (made_up := sum(one.illustrative for one in people)),
    }
    return Understood(
        f"{counted(len(frames), 'frame')} with {counted(counts['answers'], 'answer')} of people,"
        f" {counts['different']:,} different; {counted(counts['without_answers'], 'frame')} without answers,"
        f" {counts['with_clusters']:,} with clusters",
        counts,
        said,
        [(frame.id, _shown(frame)) for frame in frames[:SHOWN]],
        run_command("frames", data=file, columns=columns or None),
        dropped=dropped,
        notes=[f"nobody gave the answers to {counted(made_up, 'frame')}, as the file says"]
        if made_up
        else [],
    )


def _shown(frame: Frame) -> str:
    """Show the text of a frame, and the answers that most people gave."""
    answers = [f"{answer} ({count:,})" for answer, count in Counter(frame.people.raw).most_common()]
    return f"{frame.text}\n{some(answers) or 'no answers of people'}"
