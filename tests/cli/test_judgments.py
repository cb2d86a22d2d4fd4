"""``probsense run judgments`` and ``probsense analyse judgments``, as a user calls them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from probsense.models.small import builtin
from support.command import Probsense, assert_refused


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's own 30 statements and 12 people, in the files and formats of the guide, in the working folder."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(8)
    texts = [
        f"Number {i} is {what}" for i in range(10) for what in ("odd, or even.", "blue.", "a lucky one.")
    ]
    lines = [
        f'"{text}",{int(i % 3 == 2)},{("sure", "false", "taste")[i % 3]}' for i, text in enumerate(texts)
    ]
    Path("statements.csv").write_text("\n".join(["statement,opinion,topic", *lines]) + "\n")
    lines = ["statement,person,q1,q2"]
    for person in range(1, 13):
        for i, text in enumerate(texts):
            if draw.random() < 0.1:
                continue  # not everybody was asked about everything
            q1, q2 = (int(draw.random() < (0.95, 0.05, 0.5)[i % 3]) for _ in range(2))
            lines.append(f'"{text}",P{person:02d},{q1},{q2 if draw.random() < 0.95 else ""}')
    Path("people.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.usefixtures("undrawn")
def test_two_people_are_too_few_for_a_score_and_are_said_to_be(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("statement,person,q1,q2\nA.,P1,1,1\nB.,P1,0,0\nA.,P2,1,1\n")
    (tmp_path / "statements.csv").write_text("statement\nA.\nB.\n")
    words = ("--data", "statements.csv", "--humans", "people.csv")
    ratings = ("--write-results", "ratings", "--quiet")
    assert probsense("run", "judgments", "--model", "random:1", *words, *ratings).code == 0
    done = probsense(
        *("analyse", "judgments", "--ratings", "ratings/random-1_ratings.csv", *words),
        *("--report", "page.html", "--figures", "figures", "--full"),
    )
    assert done.code == 0, done.err
    assert done.out.startswith("Warning: 2 people and 2 statements: with so few, all estimates are rough\n")


@pytest.mark.parametrize("method", ["labels", "sample"])
def test_the_packaged_statements_by_every_method(probsense: Probsense, method: str) -> None:
    words = ("--method", method, "--limit", "6", "--trials", "2", "-q", "--json")
    done = probsense("run", "judgments", "-m", "builtin:tiny", *words)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["run"]["method"] == method
    assert document["run"]["asked"] == 6
    assert {"yes_mass", "other_mass", "other_rate"} <= {e["measure"] for e in document["estimates"]}


def test_an_encoder_decoder_runs_end_to_end(probsense: Probsense, tmp_path: Path) -> None:
    torch.manual_seed(1)
    vocabulary = ["<pad>", "</s>", "<unk>", "yes", "no", "Yes", "statement", "Consider"]
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    small = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = transformers.T5Config(vocab_size=len(vocabulary), decoder_start_token_id=0, **small)
    folder = tmp_path / "t5"
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    words = ("--device", "cpu", "--questions", "q1,q2", "--limit", "12", "-q", "--json")
    done = probsense("run", "judgments", "-m", f"hf:{folder}", *words)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["coverage"][0]["asked"] == 12
    mass = {e["by"]["question"]: e["value"] for e in document["estimates"] if e["measure"] == "yes_mass"}
    assert set(mass) == {"q1", "q2"}
    assert all(0 < value < 1 for value in mass.values())


@pytest.mark.parametrize("model", ["builtin:tiny", "openai:toy"])
def test_an_unknown_prompt_format_is_one_line(probsense: Probsense, model: str) -> None:
    done = probsense("run", "judgments", "--model", model, "--prompt-format", "publishd")
    assert_refused(done, "did you mean 'published'")


def test_the_published_way_is_the_usual_one(probsense: Probsense) -> None:
    words = ("run", "judgments", "--model", "builtin:tiny", "--limit", "3", "--json", "-q")
    usual, published = (
        json.loads(probsense(*words, *more).out)["run"] for more in ((), ("--prompt-format", "published"))
    )
    assert (usual["id"], published["asked"]) == (published["id"], 0)
    said = [finding["detail"] for finding in published["findings"] if finding["name"] == "prompt format"]
    assert said == ["asked as most published runs asked, without an examination"]


def test_a_prompt_format_is_recorded_in_the_run(probsense: Probsense) -> None:
    words = ("run", "judgments", "-m", f"hf:{builtin.HERE / 'tiny'}", "--limit", "3", "-q", "--json")
    done = probsense(*words, "--prompt-format", "falcon")
    assert json.loads(done.out)["run"]["details"]["prompt_format"] == "falcon"
    assert_refused(probsense(*words, "--prompt-format", "falcn"), "did you mean 'falcon'?")


@pytest.mark.usefixtures("undrawn")
def test_a_run_against_people_then_its_ratings_analysed(probsense: Probsense, example: Path) -> None:
    people = ("--data", "statements.csv", "--humans", "people.csv")
    written = ("--write-results", "out", "--report", "run.html")
    ran = probsense("run", "judgments", "-m", "random:5", *people, *written, "-q", "--json")
    document = json.loads(ran.out)
    assert (example / "run.html").read_text().count("<figure>") == 5
    table = Path("out") / "random-5_ratings.csv"
    assert f"answers written to {table}" in ran.err
    words = ("analyse", "judgments", "--ratings", table, *people)
    analysed = probsense(*words, "--json", "--report", "page.html", "--figures", "figures")
    again = json.loads(analysed.out)
    assert again["task"] == "judgments"
    assert Path("page.html").read_text().count("<figure>") == 5
    drawn = {path.name for path in Path("figures").iterdir()}
    assert {"individuals.svg", "individuals.csv", "statements.csv", "features.csv"} <= drawn
    assert {"share_calibration.csv", "departures.csv", "departures.svg"} <= drawn
    assert "Percentile" in probsense(*words, "--full").out
    brief = probsense(*words).out
    assert brief.startswith("Judgments (")
    assert "random:5 judges " in brief

    def values(estimates: list[dict[str, object]]) -> dict[tuple[str, str], object]:
        return {
            (e["measure"], e["method"]): e["value"]
            for e in estimates
            if {k: v for k, v in e["by"].items() if k != "prompting"} == {"model": "random:5"}
        }

    own, theirs = values(document["estimates"]), values(again["estimates"])
    assert own.items() <= theirs.items()
    assert {("win_rate", "two-way bootstrap"), ("group_r", "published")} <= set(own)


def test_a_dry_run_says_what_would_be_asked(probsense: Probsense, example: Path) -> None:
    words = ("run", "judgments", "worldsense", "--judgments.data", "statements.csv", "--model", "random:1")
    shown = probsense(*words, "--limit", 30, "--dry-run")
    assert (shown.code, shown.err) == (0, "")
    assert "to be asked: 30 requests (0 are answered in the store)" in shown.out
    assert not (example / "probsense.db").exists()
    document = json.loads(probsense(*words, "--limit", 30, "--dry-run", "--json").out)
    assert [each["task"] for each in document["dry_run"]] == ["judgments", "worldsense"]
    assert document["dry_run"][0]["used"]["requests"] == 30
