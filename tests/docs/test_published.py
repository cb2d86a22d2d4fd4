"""What the docs show of published data, where there are some."""

import os
from pathlib import Path

import pytest
from themed import themed

from docs.agreement import agrees, same_picture
from docs.snippets import commands, run_command, snippets

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "why.md"
PICTURE = ROOT / "docs" / "among-people.svg"

FILES = {
    "data/memorisation": "worldsense/memorisation",
    "binary_answers.parquet": "judgments/binary_answers.parquet",
    "dev.jsonl": "frames/protoqa_dev.targets.jsonl",
    "people.jsonl": "frames/protoqa_dev.predictions.human.jsonl",
    "gpt2-finetuned.json": "frames/protoqa_dev.predictions.gpt2finetuned.json",
}
"""What the page calls them, and where they are in the reference folder."""

SHOWN = [
    snippet
    for snippet in snippets(PAGE)
    if snippet.language == "bash" and snippet.output and any(f" {name}" in snippet.text for name in FILES)
]


DRAWN = next(snippet for snippet in snippets(PAGE) if "--figures" in snippet.text)


@pytest.fixture
def published(reference_data, tmp_path, monkeypatch):
    """A folder with the published files under the names of the page, and a terminal of 80 columns."""
    for name, place in FILES.items():
        link = tmp_path / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(reference_data / place)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.parametrize("snippet", SHOWN, ids=lambda snippet: snippet.text.strip()[:60])
@pytest.mark.usefixtures("published")
def test_outputs_of_published_data_are_true(snippet):
    found = run_command(snippet.text.strip())
    assert snippet.output
    assert agrees(snippet.output, found), found


@pytest.mark.slow
@pytest.mark.reference
def test_the_picture_is_what_its_command_draws(published):
    # The reference folder has the answers of 27 of the models that the published file has.
    _, command = commands(DRAWN.text)
    run_command(command.replace("$answers", "binary_answers.parquet"))
    drawn = themed((published / "figures" / "individuals.svg").read_text())
    if os.environ.get("PROBSENSE_UPDATE_DOCS"):
        PICTURE.write_text(drawn)
    assert same_picture(PICTURE.read_text(), drawn)
