"""Bad input of every kind: one clear line on stderr, exit code 2, nothing half-written."""

import pytest

from support.command import assert_refused

pytestmark = pytest.mark.usefixtures("stores")

WORDS = {
    "data get": ("Missing argument 'name'.", "data get [OPTIONS] {name}"),
    "data get a b": ("Got unexpected extra argument(s) (b)", "data get [OPTIONS] {name}"),
    "run winogrande": ("Missing option '--model'", "run winogrande [OPTIONS]"),
    "run winogrande --rull sum": ("No such option: --rull (Possible options: ", "run winogrande [OPTIONS]"),
    "nothing": ("No such command 'nothing'.", "[OPTIONS] COMMAND [ARGS]..."),
}
"""Of wrong words, what the error says, and what the command takes."""

BATCH = "judgments -m openai:toy -M base_url=http://127.0.0.1:9/v1 --out out.jsonl"
REFUSED = {
    # A second model, which nobody has asked yet when the first is refused.
    "run winogrande -m random -m oracle": "did you mean 'oracle:'?",
    "run winogrande -m random -m randon:1": "did you mean 'random'?",
    "run winogrande -m random -m hf:./no-model-here": "no-model-here",
    "run winogrande -m random -m recorded:nope.jsonl": "nope.jsonl",
    "run winogrande -m random -m builtin:huge": "tiny",
    # Options of tasks and models.
    "run worldsense -m random --rule full": "no rule 'full'",
    "run winogrande -m random --method labels": "no such method of winogrande: 'labels'",
    "run judgments -m random --trials few": "--trials 'few' (expected a whole number)",
    "run judgments -m random --questions q9": "--questions 'q9' (expected one of q1, q2, q3)",
    "run winogrande -m random -m builtin:tiny -M dtpye=a": "-M dtpye; did you mean 'dtype'?",
    "run winogrande -m builtin:tiny -M dtype": "-M 'dtype' (expected KEY=VALUE)",
    "run winogrande -m builtin:tiny -M dtype=float32 -M dtype=float64": "-M dtype twice",
    "run winogrande -m builtin:tiny -M dtype=int8": "-M dtype 'int8' (expected one of",
    # Options of the command that do not go together.
    "run winogrande -m random --write-results x": "has no files of results",
    "run winogrande -m random --format md --json": "--json and --format md (expected one of",
    "run winogrande -m random --shard 1/3 --report a.html": "--shard with --report,",
    "run winogrande -m random --shard 1/3 --dry-run": "--shard with --report,",
    "run judgments -m random --max-cost -1": "a budget of -1",
    "profile random -M prompt_format=chat": "no such option: -M prompt_format (expected one of think_start,",
    "profile random --store junk.bin": "junk.bin: not an SQLite file",
    "score -m random": "--input",
    "score -m random --input in.jsonl --suffix a": "--suffix",
    "score -m random a b --input in.jsonl": "--input",
    "doctor random --method option": "did you mean 'options'",
    f"batch write {BATCH} -M abilities=chat,telepathy": "telepathy",
    f"batch write {BATCH} -M abilities=chat,many -M prompt_format=plain": "completions",
    f"batch write {BATCH} -M abilities=chat,many --method options": "options",
    "batch read missing.jsonl -m openai:toy -M abilities=chat": "missing.jsonl",
    # Runs that are not there, or cannot be compared.
    "report --store suite.db --task frames": "frames",
    "reproduce nothing": "probsense.db",
    "runs export probsense.db --out a.records --format helm": "every-eval-ever",
    "runs export probsense.db --out junk.bin --format every-eval-ever": "junk.bin",
    "runs export probsense.db --out - --format every-eval-ever": "folder",
    "runs export probsense.db --task suite --out a.csv": "no runs of suite",
    "compare {0} {0}": "is given twice",
    "compare {0} junk.bin": "junk.bin: a file of no known results",
    "compare {0} {1} --measur x": "--measure",
    "compare {0} {1} --measure acuracy": "did you mean 'accuracy'",
    "compare a b -O input=x": "no such option: -O input; did you mean 'input_dir'?",
    "items {0} {1} --out a.txt": "ends in no known format",
    "items {0} {1} --measure brier": "says of each item",
    "plan {0} {1}": "neither a width nor a difference (expected either --width or --difference)",
    "plan {0} {1} --width .1 --difference .1": "a width and a difference",
    "plan {0} {1} --width 0": "--width 0 (expected a number above 0",
    "plan {0} {1} --width 1": "below 1, the range of the measure",
    "plan {0} {1} --difference .1 --power 1": "--power 1 (expected a probability",
    "plan {0} {1} --width .1 --raters 9": "has no answers of people",
    "plan {0} {1} --width .1 --raters 1": "--raters 1 (expected 2 or more)",
    "plan {0} {1} --width .1 --people nowhere.csv": "no such file",
    "plan {0} {1} --width .1 --figure plan.txt": "ends in no known format",
    "plan --width .1": "nothing to plan from",
    "plan {0} --difference .1": "the results of one model",
    "plan nowhere --width .1": "no such file",
    "plan winogrande --width .05 --measure brier": "no pilot is kept",
    "analyse judgement --ratings r.csv": "did you mean 'judgments'?",
    "analyse frames a.csv --ratings a.csv": "No such option: --ratings",
    "data check junk.bin --task frmes": "did you mean 'frames'?",
    "models hff": "did you mean 'hf'?",
}
"""What a command says that cannot be done."""


@pytest.mark.parametrize("words", REFUSED)
def test_a_command_that_cannot_be_leaves_nothing(probsense, ids, tmp_path, words):
    (tmp_path / "junk.bin").write_bytes(b"\xff\xfe\x00\x01\x80")
    before = {path.name for path in tmp_path.iterdir()} | {"cache"}
    assert_refused(probsense(*words.format(*ids).split()), REFUSED[words])
    assert {path.name for path in tmp_path.iterdir()} <= before


@pytest.mark.parametrize("words", WORDS)
def test_an_error_about_words_says_what_the_command_takes(probsense, words):
    done = probsense(*words.split())
    assert_refused(done, WORDS[words][0])
    assert done.err.splitlines()[1] == f"usage: probsense {WORDS[words][1]}"
