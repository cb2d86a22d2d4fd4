"""Damaged files: every reader gives a result, or one clear line.

The corpus has whole files for every reader, and files that once were too much for one.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from fuzz.damage import EDITS, damaged, fuzzing, outcome
from probsense.interop.compare import read_choices
from probsense.interop.lm_eval.reader import read_lm_eval
from probsense.models.openai.prices import read_prices
from probsense.models.small import recorded
from probsense.runs.reproduce import recipes_in
from probsense.runs.score import read_requests
from probsense.studies.collect.pages.words import read_words
from probsense.studies.collect.study_file import read_study
from probsense.tasks.choices.questions.read import read_questions
from probsense.tasks.conditions.facets import read_personas
from probsense.tasks.frames.questions.predictions import read_predictions
from probsense.tasks.frames.questions.read import read_frames
from probsense.tasks.judgments.people.answers import read_people
from probsense.tasks.judgments.people.opinions import read_demographics
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.questions.raw import read_replies
from probsense.tasks.judgments.questions.statements import read_statements
from probsense.tasks.judgments.questions.wordings import read_ways
from probsense.tasks.judgments.recorded import read_sizes
from probsense.tasks.suite.pairs import read_pairs
from probsense.tasks.suite.probsem import parse_test
from probsense.tasks.winogrande.schemas import read_schemas
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import changed_files
from probsense.tasks.worldsense.questions.results import read_results
from probsense.tasks.worldsense.questions.trials import read_trials

CORPUS = Path(__file__).with_name("corpus")
TRIALS = CORPUS / "trials" / "trials.jsonl"


def read_skins(path):
    """Audit a set beside which the skins stand."""
    path.with_name("trials.jsonl").write_bytes(TRIALS.read_bytes())
    return audit_folder(path.parent)


def read_choices_beside(path):
    """Read choices and the study beside them, one of which is damaged."""
    for whole in (CORPUS / "choices").glob("*.*"):
        if whole.name != path.name:
            path.with_name(whole.name).write_bytes(whole.read_bytes())
    return read_choices(path.with_name("choices.csv"))


def read_answers_of(path):
    """Read a table of people's answers as questions with options, and as questions with open answers."""
    outcome(lambda: read_frames(path))
    return read_questions(path)


def read_set(path):
    """Read a set of trials, and audit it."""
    outcome(lambda: audit_folder(path.parent))
    return read_trials(path.parent)


READERS = {
    "choices": read_choices_beside,
    "demographics": lambda path: read_demographics(path, ["ann", "bob"]).divided(["ann", "bob"]),
    "frames": read_frames,
    "manifests": lambda path: changed_files(path.parent),
    "page_words": read_words,
    "pairs": read_pairs,
    "people": lambda path: read_people([path, path] if path.name == "wide.csv" else [path]),
    "personas": read_personas,
    "predictions": read_predictions,
    "prices": read_prices,
    "ratings": read_ratings,
    "recipes": recipes_in,
    "recorded": lambda path: recorded.load(str(path)),
    "replies": lambda path: read_replies(path, "q1"),
    "requests": read_requests,
    "results": read_results,
    "samples": read_lm_eval,
    "schemas": read_schemas,
    "sizes": read_sizes,
    "skins": read_skins,
    "statements": read_statements,
    "studies": lambda path: read_study(path),
    "tables": read_answers_of,
    "tests": parse_test,
    "trials": read_set,
    "ways": read_ways,
    "wording": read_ways,
}
FILES = {f"{path.parent.name}/{path.name}": path for path in sorted(CORPUS.glob("*/*"))}


def read(name, data):
    """Read bytes as a file of the corpus would be read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILES[name].name
        path.write_bytes(data)
        return outcome(lambda: READERS[FILES[name].parent.name](path))


def test_every_reader_has_a_file():
    assert {path.parent.name for path in FILES.values()} == set(READERS)


@pytest.mark.parametrize("name", FILES)
def test_the_corpus_is_read(name):
    found = read(name, FILES[name].read_bytes())
    assert found is not None or "/damaged" in name


@pytest.mark.parametrize("name", FILES)
@fuzzing
@given(edits=EDITS)
def test_damaged_files(name, edits):
    read(name, damaged(FILES[name].read_bytes(), edits))
