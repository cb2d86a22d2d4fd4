"""``probsense run judgments`` and ``probsense analyse judgments``, as a user calls them."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

Probsense = Callable[..., "Done"]  # noqa: F821 - tests/cli/conftest.py
GUIDE = Path(__file__).parents[2] / "docs" / "judgments.md"


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


def commands() -> list[list[str]]:
    """The commands of the guide's worked example."""
    section = GUIDE.read_text().split("## A worked example")[1].split("\n## ")[0]
    blocks = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("probsense ")]


def test_two_people_are_too_few_for_a_score_and_are_said_to_be(probsense: Probsense, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("statement,person,q1,q2\nA.,P1,1,1\nB.,P1,0,0\nA.,P2,1,1\n")
    (tmp_path / "statements.csv").write_text("statement\nA.\nB.\n")
    words = ("--data", "statements.csv", "--humans", "people.csv")
    ratings = ("--write-results", "ratings", "--quiet")
    assert probsense("run", "judgments", "--model", "random:1", *words, *ratings).code == 0
    done = probsense(
        *("analyse", "judgments", "--ratings", "ratings/random-1_ratings.csv", *words),
        *("--report", "page.html", "--figures", "figures"),
    )
    assert done.code == 0, done.err
    assert done.out.startswith("Warning: 2 people and 2 statements: with so few, all estimates are rough\n")


def test_the_worked_example_of_the_guide(probsense: Probsense, example: Path) -> None:
    found = [words for words in commands() if words[0] != "figure"]  # tests/docs draws the charts of pages
    assert [words[:2] for words in found] == [
        ["run", "judgments"],
        ["run", "judgments"],
        ["analyse", "judgments"],
    ]
    for words in found:
        expanded = [
            name
            for word in words
            for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        done = probsense(*expanded)
        assert done.code == 0, done.err
        assert done.out
    assert "Percentile" in done.out
    assert "builtin:tiny" in done.out
    page = Path("judgments.html").read_text()
    assert page.count("<figure>") == 6
    drawn = {path.name for path in Path("figures").iterdir()}
    assert {"individuals.svg", "individuals.csv", "statements.csv", "features.csv", "pq.csv"} <= drawn
    assert {"share_calibration.csv", "departures.csv", "departures.svg"} <= drawn


def test_the_packaged_statements_by_every_method(probsense: Probsense, tmp_path: Path) -> None:
    for method in ("labels", "sample"):
        words = ("--method", method, "--limit", "6", "--trials", "2", "-q", "--json")
        done = probsense("run", "judgments", "-m", "builtin:tiny", *words)
        assert done.code == 0, done.err
        document = json.loads(done.out)
        assert document["run"]["method"] == method
        assert document["run"]["asked"] == 6
        assert {"yes_mass", "other_mass", "other_rate"} <= {e["measure"] for e in document["estimates"]}


def test_an_encoder_decoder_runs_end_to_end(probsense: Probsense, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch.manual_seed(1)
    words = ["<pad>", "</s>", "<unk>", "yes", "no", "Yes", "statement", "Consider"]
    inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    config = transformers.T5Config(
        vocab_size=len(words),
        d_model=16,
        d_kv=8,
        d_ff=16,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
    )
    folder = tmp_path / "t5"
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    done = probsense(
        "run", "judgments", "-m", f"hf:{folder}", "--device", "cpu", "--questions", "q1,q2", "-q", "--json"
    )
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["coverage"][0]["asked"] == 96
    mass = {e["by"]["question"]: e["value"] for e in document["estimates"] if e["measure"] == "yes_mass"}
    assert set(mass) == {"q1", "q2"}
    assert all(0 < value < 1 for value in mass.values())


def test_a_prompt_format_is_recorded_in_the_run(probsense: Probsense, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "src" / "probsense" / "models" / "tiny"
    words = ("--limit", "3", "-q", "--json")
    done = probsense("run", "judgments", "-m", f"hf:{folder}", "--prompt-format", "falcon", *words)
    assert json.loads(done.out)["run"]["details"]["prompt_format"] == "falcon"
    refused = probsense("run", "judgments", "-m", f"hf:{folder}", "--prompt-format", "falcn", *words)
    assert (refused.code, refused.out) == (2, "")
    assert "did you mean 'falcon'?" in refused.err


def test_a_run_against_people_then_its_ratings_analysed(probsense: Probsense, example: Path) -> None:
    ran = probsense(
        *("run", "judgments", "-m", "random:5", "--data", "statements.csv", "-q", "--json"),
        *("--humans", "people.csv", "--write-results", "out", "--report", "run.html"),
    )
    document = json.loads(ran.out)
    assert (example / "run.html").read_text().count("<figure>") == 5
    table = example / "out" / "random-5_ratings.csv"
    assert f"answers written to {Path('out') / table.name}" in ran.err
    analysed = probsense(
        *("analyse", "judgments", "--ratings", table, "--data", "statements.csv", "--json"),
        *("--humans", "people.csv"),
    )
    again = json.loads(analysed.out)
    assert again["task"] == "judgments"

    def values(estimates: list[dict[str, object]]) -> dict[tuple[str, str], object]:
        return {
            (e["measure"], e["method"]): e["value"]
            for e in estimates
            if {k: v for k, v in e["by"].items() if k != "prompting"} == {"model": "random:5"}
        }

    own, theirs = values(document["estimates"]), values(again["estimates"])
    assert own.items() <= theirs.items()
    assert {("win_rate", "two-way bootstrap"), ("group_r", "published")} <= set(own)


FAULTS: dict[str, tuple[str, str]] = {
    "an option of another task": ("run judgments -m random:1 --norm", "--norm is an option of suite"),
    "an option of judgments elsewhere": (
        "run winogrande -m random:1 --trials 3",
        "--trials is an option of judgments",
    ),
    "an unknown question": (
        "run judgments -m random:1 --questions q1,q7",
        "--questions 'q7' (expected one of q1, q2, q3)",
    ),
    "no such statements": ("run judgments -m random:1 --data x.csv", "x.csv: no such file"),
    "texts from a model that has none": ("run judgments -m random:1 --method sample", "cannot answer"),
    "a system prompt without a chat": (
        "run judgments -m builtin:tiny --system-prompt Hi",
        "--system-prompt is an option of gguf, hf, openai and vllm",
    ),
    "no ratings": ("analyse judgments --majority m.csv", "analyse judgments needs --ratings"),
    "nothing to compare with": ("analyse judgments --ratings r.csv", "nothing to set the models against"),
    "an option of worldsense": (
        "analyse judgments --ratings r.csv --no-audit",
        "--no-audit is an option of worldsense",
    ),
    "an option of judgments": ("analyse worldsense . --draws 5", "--draws is an option of judgments"),
    "a folder": ("analyse judgments folder --ratings r.csv", "analyse judgments takes no 'folder'"),
    "no folder": ("analyse worldsense", "analyse worldsense needs DATA"),
    "an unknown task": ("analyse judgement --ratings r.csv", "did you mean 'judgments'?"),
    "an unknown policy": (
        "analyse judgments --ratings r.csv --majority m.csv --other x",
        "--other 'x' (expected one of split, drop, wrong, separate)",
    ),
    "too few draws": ("analyse judgments --ratings r.csv --majority m.csv --draws 1", "1 draws"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_line_and_nothing_is_asked(
    probsense: Probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words, part = FAULTS[fault]
    done = probsense(*words.split())
    assert (done.code, done.out) == (2, ""), done.err
    assert len(done.err.splitlines()) == 1
    assert part in done.err
    assert not (tmp_path / "probsense.db").exists()


ROWS = {
    "swapped columns": ("statement,person,q1,q2\nP01,Number 0 is blue.,1,1\n", "line 2: statement is 'P01'"),
    "a rating that is none": ("statement,person,q1,q2\nNumber 0 is blue.,P01,2,1\n", "line 2: q1 is '2'"),
    "a pair twice": (
        "statement,person,q1,q2\n" + "Number 0 is blue.,P01,1,1\n" * 2,
        "again, first on line 2",
    ),
    "no column person": ("statement,who,q1,q2\nNumber 0 is blue.,P01,1,1\n", "no column person"),
    "no rating at all": ("statement,person,q1,q2\nNumber 0 is blue.,P01,,\n", "holds no rating"),
    "binary": ("\x00\x01\x02", "people.csv"),
}


@pytest.mark.parametrize("fault", ROWS)
def test_faulty_ratings_are_one_line(probsense: Probsense, example: Path, fault: str) -> None:
    body, part = ROWS[fault]
    Path("people.csv").write_text(body)
    done = probsense(
        "run", "judgments", "-m", "random:1", "--data", "statements.csv", "--humans", "people.csv"
    )
    assert (done.code, done.out) == (2, ""), done.err
    assert len(done.err.splitlines()) == 1
    assert part in done.err


def test_a_dry_run_says_what_would_be_asked(probsense: Probsense, example: Path) -> None:
    words = (
        "run",
        "judgments",
        "worldsense",
        "--judgments.data",
        "statements.csv",
        "--model",
        "random:1",
        "--dry-run",
    )
    shown = probsense(*words, "--limit", 30)
    assert (shown.code, shown.err) == (0, "")
    assert "to be asked: 30 requests (0 are answered in the store)" in shown.out
    assert not (example / "probsense.db").exists()
    document = json.loads(probsense(*words, "--limit", 30, "--json").out)
    assert [each["task"] for each in document["dry_run"]] == ["judgments", "worldsense"]
    assert document["dry_run"][0]["used"]["requests"] == 30


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--precision", 2), "a precision of 2"),
        (("--max-samples", 50), "a most of 50 texts without a precision"),
        (("--precision", 0.2, "--max-samples", 3), "at most 3 texts"),
        (("--max-cost", 3), "the prices of random:1 are not known"),
        (("--max-cost", -1), "a budget of -1"),
    ],
)
def test_limits_of_sampling_and_cost_that_cannot_be(
    probsense: Probsense, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    refused = probsense("run", "judgments", "--model", "random:1", "--store", tmp_path / "s.db", *words)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert not (tmp_path / "s.db").exists()
