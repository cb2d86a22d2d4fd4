"""What the command prints and writes is what is on record: the safety net of changes that must not be seen.

``tests/recorded/outputs.json.xz`` holds the outputs of the commands in ``tests/recorded/commands.toml``: results in
every format, pages, charts, helps, exit codes and errors. ``python tests/support/recording.py --check`` shows what
differs, with ``--only STORY`` or ``--only STORY.COMMAND`` for some of it. Where an output is to change, give the
command's name and the reason in :data:`ORDERED`, and put the new output on record by
``python tests/support/recording.py --update STORY.COMMAND``; so is a new command.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zlib

import pytest

from support import recording

PARTS = (
    "page and site are made of the same parts: skip link, content policy, coverage sentence, grid of tables"
)
FEW = "recorded results say where intervals rest on few independent groups, as runs do"
NO_RATIO = "the ratio of eigenvalues and nuts-2pl are gone"
ONE_LINE = "wrong use is one line, never a box"
ENGLISH = "descriptions of options are in plain English"
EXAMPLES = "notes say that the examples of ProbSense were asked, and how to ask others"
OUTPUTS = "standard output, --store none, runs check; every size of a plan is simulated"
PLANS = "a plan names a size that has the power in its own table, and knows points"
BLOCKS = "an export notes its files"
READING = "the way of reading labels is part of a model's fingerprint"
FORMS = "WorldSense draws from all forms, counts them, and has intervals over forms"
FIRST = (
    "a run ends with one table, findings and next steps, a page opens with its picture, and help is in groups"
)
JSON = "a run records the hashes of its files, and a missing interval says why"
EXAMINED = "a short examination chooses the prompt format; doctor shows it"
TABLES = "tables of every form are read, and data check knows several tasks"
BLEND = "BLEnD can be downloaded"
RECIPES = "runs and pages carry recipes, with the hashes of files and folders from when the run began"
SHORTER = "help fits 60 lines, and --help-all says everything"
FIRST_LOOK = "no row of dashes, no option twice in a next step, a page that is shorter on a phone"
MORE_DATA = "LeWiDi can be downloaded, and data that must be got by hand are named"
TEXTS = "texts stand at the left of their column"
EXPORTS = "what is written describes itself in Croissant, runs become records of Every Eval Ever, sites offer recipes"
KEPT = "finished runs keep their results: a list measures nothing twice"
LISTED = "run and batch write ask the items of a list"

ORDERED: dict[str, str] = {
    **dict.fromkeys(
        [
            *("winogrande.report", "judgments.people", "frames.packaged"),
            *("several.run", "several.profile", "several.site"),
        ],
        PARTS,
    ),
    **dict.fromkeys(
        [
            *("worldsense.analyse", "worldsense.analyse-json", "worldsense.analyse-latex"),
            *("judgments.analyse", "judgments.analyse-json", "judgments.analyse-markdown"),
            *("frames.analyse", "frames.analyse-json"),
        ],
        FEW,
    ),
    **dict.fromkeys(["judgments.pooled", "help.run-judgments", "help.analyse-judgments"], NO_RATIO),
    **dict.fromkeys(["faults.seed-word", "faults.no-command", "faults.no-option"], ONE_LINE),
    **dict.fromkeys(["several.runs", "earlier.runs"], KEPT),
    **dict.fromkeys(["winogrande.compare", "worldsense.compare"], TEXTS),
    **dict.fromkeys(
        [
            *("suite.model", "winogrande.model", "winogrande.runs", "winogrande.runs-json"),
            *("judgments.model", "judgments.texts", "frames.export"),
        ],
        READING,
    ),
    **dict.fromkeys(
        ["help.run", "help.run-worldsense", "help.run-frames", "help.run-winogrande", "help.run-suite"],
        ENGLISH,
    ),
    **dict.fromkeys(
        [
            "suite.terminal",
            "suite.json",
            "suite.latex",
            "suite.csv",
            "suite.markdown",
            "winogrande.terminal",
            "winogrande.json",
            "winogrande.paper",
            "winogrande.markdown",
            "winogrande.csv",
            "winogrande.show",
            "winogrande.show-json",
            "judgments.packaged",
            "several.full",
            "several.json",
            "several.merged",
            "several.named",
            "endpoint.judgments",
            "endpoint.texts",
            "endpoint.options",
            "earlier.show",
            "earlier.report",
            "earlier.again",
        ],
        EXAMPLES,
    ),
    **dict.fromkeys(
        [
            "help.profile",
            "help.score",
            "help.analyse",
            "help.plan",
            "help.figure",
            "help.report",
            "help.runs",
            "help.batch-write",
            "help.batch-read",
            "help.runs-export",
            "help.analyse-worldsense",
            "help.analyse-frames",
            "help.plan-worldsense",
            "help.plan-judgments",
            "help.plan-frames",
            "help.plan-winogrande",
            "help.plan-suite",
        ],
        OUTPUTS,
    ),
    **dict.fromkeys(
        ["endpoint.plan", "endpoint.plan-judgments", "faults.plan-width"],
        PLANS,
    ),
    **dict.fromkeys(
        ["earlier.collect-export", "earlier.collect-export-json"],
        BLOCKS,
    ),
    **dict.fromkeys(
        [
            "worldsense.generate",
            "worldsense.audit",
            "worldsense.audit-json",
            "worldsense.terminal",
            "worldsense.json",
            "worldsense.labels",
            "worldsense.written",
            "worldsense.oracle",
            "worldsense.recorded",
            "worldsense.analyse",
            "worldsense.analyse-json",
            "worldsense.analyse-latex",
            "worldsense.compare",
            "worldsense.report-json",
            "worldsense.figure",
            "worldsense.export",
            "help.audit-worldsense",
            "help.generate-worldsense",
            "help.run-worldsense",
            "judgments.dry-run",
            "several.figure",
            "several.merge",
            "several.merge-json",
            "several.merged",
            "several.profile",
            "several.run",
            "several.runs",
            "several.shard-1",
            "several.shard-2",
            "several.site",
        ],
        FORMS,
    ),
    **dict.fromkeys(
        [
            *("several.profile-dry", "several.figure", "endpoint.data-list", "endpoint.data-json"),
            *("help.probsense", "help.analyse", "help.data", "help.batch-write", "help.run-winogrande"),
            *("faults.no-task", "faults.data-none"),
        ],
        "choices is a sixth task; data can be checked; methods have stated",
    ),
    **dict.fromkeys(["help.run", "help.profile"], "models may think before they answer"),
    **dict.fromkeys(
        ["help.plan-worldsense", "help.generate-worldsense", "help.audit-worldsense", "worldsense.recorded"],
        "forms can be held out and planned for; right answers are fixed kinds of forms",
    ),
    "endpoint.doctor-model": "the rounding of a processor is not recorded",
    "endpoint.lm-eval": "the folder is in the room of lm-evaluation-harness",
    "faults.old-flag": "flags that were never released are not explained",
    **dict.fromkeys(
        [
            *("suite.terminal", "suite.original", "suite.model", "suite.figure"),
            *("winogrande.terminal", "winogrande.model", "winogrande.runs", "winogrande.report"),
            *("worldsense.terminal", "worldsense.labels", "worldsense.written", "worldsense.oracle"),
            *("worldsense.model", "worldsense.recorded", "worldsense.analyse", "worldsense.figure"),
            *("judgments.packaged", "judgments.people", "judgments.terminal", "judgments.model"),
            *("judgments.texts", "judgments.analyse", "judgments.analyse-markdown", "judgments.pooled"),
            *("judgments.figure", "frames.packaged", "frames.both", "frames.analyse"),
            *("frames.published", "several.run", "several.merged", "several.runs"),
            *("several.named", "several.profile", "several.figure", "several.site"),
            *("endpoint.texts", "help.probsense", "help.run", "help.profile"),
            *("help.analyse", "help.compare", "help.plan", "help.doctor"),
            *("help.batch-write", "help.run-worldsense", "help.run-judgments", "help.run-frames"),
            *("help.run-winogrande", "help.run-suite", "help.analyse-worldsense", "help.analyse-judgments"),
            *("help.analyse-frames", "help.plan-worldsense", "help.plan-judgments", "help.plan-frames"),
            *("help.plan-winogrande", "help.plan-suite", "help.generate-worldsense", "help.audit-worldsense"),
            *("choices.analyse",),
        ],
        FIRST,
    ),
    **dict.fromkeys(
        [
            *("suite.json", "winogrande.json", "winogrande.compare-json", "winogrande.show-json"),
            *(
                "worldsense.json",
                "worldsense.analyse-json",
                "worldsense.report-json",
                "judgments.analyse-json",
            ),
            *("frames.json", "several.json", "endpoint.options", "earlier.again"),
        ],
        JSON,
    ),
    **dict.fromkeys(
        [
            *("endpoint.judgments", "endpoint.doctor", "endpoint.doctor-model"),
        ],
        EXAMINED,
    ),
    **dict.fromkeys(
        [
            *("endpoint.data-list", "endpoint.data-json", "faults.data-none"),
        ],
        BLEND,
    ),
    **dict.fromkeys(
        [
            *("faults.statements", "choices.check", "help.data"),
        ],
        TABLES,
    ),
    **dict.fromkeys(
        [
            *("suite.json", "suite.model", "winogrande.json"),
            *("winogrande.model", "winogrande.show-json", "winogrande.report"),
            *("worldsense.json", "worldsense.labels", "worldsense.written"),
            *("worldsense.recorded", "worldsense.report-json", "judgments.people"),
            *("judgments.model", "judgments.texts", "frames.packaged"),
            *("frames.json", "several.run", "several.json"),
            *("several.profile", "several.site", "endpoint.judgments"),
            *("endpoint.options", "earlier.again"),
        ],
        RECIPES,
    ),
    **dict.fromkeys(
        [
            *("help.run", "help.profile", "help.score"),
            *("help.analyse", "help.compare", "help.plan"),
            *("help.doctor", "help.generate", "help.audit"),
            *("help.batch-write", "help.batch-read", "help.collect-try"),
            *("help.run-worldsense", "help.run-judgments", "help.run-frames"),
            *("help.run-winogrande", "help.run-suite", "help.analyse-worldsense"),
            *("help.analyse-judgments", "help.analyse-frames", "help.plan-worldsense"),
            *("help.plan-judgments", "help.plan-frames", "help.plan-winogrande"),
            *("help.plan-suite", "help.generate-worldsense", "help.audit-worldsense"),
        ],
        SHORTER,
    ),
    **dict.fromkeys(
        [
            *("judgments.terminal", "judgments.analyse", "judgments.pooled"),
            *("several.merged", "worldsense.analyse", "frames.analyse"),
        ],
        FIRST_LOOK,
    ),
    **dict.fromkeys(
        [
            *("endpoint.data-list", "endpoint.data-json", "faults.data-none"),
        ],
        MORE_DATA,
    ),
    "help.probsense": "probsense items finds the questions that tell models apart",
    "endpoint.doctor": "thoughts are begun or closed",
    **dict.fromkeys(
        [
            *("help.run", "help.batch-write", "help.run-worldsense", "help.run-judgments"),
            *("help.run-frames", "help.run-winogrande", "help.run-suite"),
        ],
        LISTED,
    ),
    "choices.check": "the proposed way of asking suits the small model of the package",
    "choices.analyse": "the distance between halves of the people is exact",
    "faults.statements": "the error shows how to name labels",
    **dict.fromkeys(
        [
            *(
                "worldsense.generate",
                "worldsense.generate-training",
                "worldsense.written",
                "worldsense.recorded",
            ),
            *("earlier.collect-export", "earlier.collect-export-json", "several.site", "help.runs-export"),
        ],
        EXPORTS,
    ),
}
"""Commands whose outputs changed since they were first on record, each with the reason."""


@pytest.mark.slow
def test_every_output_is_the_one_on_record() -> None:
    done = subprocess.run([sys.executable, recording.__file__, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_change_has_a_reason() -> None:
    assert {name for name, parts in recording.read().items() if recording.ORDERED in parts} == ORDERED.keys()


def test_a_changed_digit_is_seen() -> None:
    was = {"a.b": {"words": "run", "code": 0, "out": "random:1 0.25\n", "err": ""}}
    now = {"a.b": was["a.b"] | {"out": "random:1 0.26\n"}}
    ((name, diff),) = recording.differences(was, now)
    assert (name, diff.splitlines()[-2:]) == ("a.b", ["-random:1 0.25", "+random:1 0.26"])


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (" 9.26 1.23456288e-9", True),
        (" 9.27 1.23456788e-9", False),
        (" 9.25 1.3e-9", False),
        ("9.25 x", False),
    ],
)
def test_last_digits_of_what_a_model_computes_may_differ(now: str, same: bool) -> None:
    was = {"a.b": {"words": "run -m builtin:tiny", "out": " 9.25 1.23456789e-9"}}
    assert ([*recording.differences(was, {"a.b": was["a.b"] | {"out": now}})] == []) is same


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (0.07483262946909062, True),
        (0.07483263, False),
    ],
)
def test_processors_may_add_in_another_order(now: float, same: bool) -> None:
    """Also in the data that a page holds compressed."""

    def page(number: float) -> str:
        packed = base64.b64encode(zlib.compress(json.dumps({"high": number}).encode())).decode()
        return f'<script type="text/plain" id="packed">{packed}</script>'

    was = {"a.b": {"words": "report -m random:1", "file page.html": page(0.07483262946909073)}}
    found = {"a.b": was["a.b"] | {"file page.html": page(now)}}
    assert ([*recording.differences(was, found)] == []) is same
