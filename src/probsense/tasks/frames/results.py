"""The answers of a run as a file, to be analysed beside others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from probsense.analysis.open_answers.questions import Counts
from probsense.core.files import writing
from probsense.core.names import file_name


def write_answers(folder: Path, model: str, answers: Mapping[str, Counts]) -> Path:
    """Write answers and how often each was given, for ``analyse frames --predictions``, whole or not at all.

    Parameters
    ----------
    folder : Path
        It is made if it is missing.
    model : str
        The name of the model; the file is named after it.
    answers : Mapping of str to Counts
        Answers by the id of the question.

    Returns
    -------
    Path
        The file: a line ``{"id": …, "answers": {answer: count}}`` for each question.
    """
    path = folder / f"{file_name(model)}_answers.jsonl"
    with writing(path) as stream:
        for name, counts in answers.items():
            line = json.dumps({"id": name, "answers": dict(counts)}, ensure_ascii=False)
            stream.write(f"{line}\n".encode())
    return path
