"""What the README shows of published data, where there are some."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.documents.agreement import agrees
from support.documents.snippets import Snippet, run_command, snippets

README = Path(__file__).parents[2] / "README.md"

FILES = {
    "data/memorisation": "worldsense/memorisation",
    "model_ratings.parquet": "judgments/model_ratings.parquet",
    "binary_answers.parquet": "judgments/binary_answers.parquet",
    "dev.jsonl": "frames/protoqa_dev.targets.jsonl",
    "people.jsonl": "frames/protoqa_dev.predictions.human.jsonl",
    "gpt2-finetuned.json": "frames/protoqa_dev.predictions.gpt2finetuned.json",
}
"""What the README calls them, and where they are in the reference folder."""

SHOWN = [
    snippet
    for snippet in snippets(README)
    if snippet.language == "bash" and snippet.output and any(f" {name}" in snippet.text for name in FILES)
]


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.parametrize("snippet", SHOWN, ids=lambda snippet: snippet.text.strip()[:60])
def test_outputs_of_published_data_are_true(
    snippet: Snippet, reference_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, place in FILES.items():
        link = tmp_path / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(reference_data / place)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    found = run_command(snippet.text.strip())
    assert snippet.output
    assert agrees(snippet.output, found), found
