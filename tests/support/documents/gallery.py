"""The page of all charts, written from what the tasks declare: ``docs/gallery.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probsense.show.chart import ChartKind
from probsense.tasks.registry import task_names, words_named

HEAD = """\
# Gallery

These are all charts that ProbSense draws, each with its command; in Python, `ps.chart(SOURCE, "TASK.CHART")` makes
the same. The models are a small one and guessers, so the pictures only show how a chart looks. The files are those of
[judgments](judgments.md#a-worked-example) and of [personas](judgments.md#personas):

```bash
probsense run worldsense winogrande suite choices --model builtin:tiny \\
    --model random:1 --limit 300 --quiet
probsense run frames --model builtin:tiny --limit 4 --answers 25 --quiet
probsense run judgments --model random:1 --model random:2 --data statements.csv \\
    --humans people.csv --pooled fast --write-results ratings --quiet
probsense run judgments --model random:1 --data statements.csv --humans people.csv \\
    --demographics who.csv --persona personas.csv --questions q1,q2 --quiet \\
    --store personas.db
probsense run judgments --model random:1 --data statements.csv --vary order,labels \\
    --questions q1,q2 --quiet --store vary.db
probsense analyse judgments --ratings ratings/*.csv --humans people.csv \\
    --data statements.csv --figures figures
```

[Charts](figures.md) says what a source may be.

## Every task

### Profile

Where every model stands in every task, with intervals, beside chance, shortcuts and people
([more](profile.md)).

![A profile: a row for each task, a mark with its interval for each model](pictures/gallery-profile.svg)

```bash
probsense figure profile probsense.db --out gallery-profile.svg
```

### A measure by its parts

Every [measure](reference-measures.md) with an upper bound has this chart, under its own name. The rows are the
parts of the answers: problems, views, methods. A bar is the [shortcut
ceiling](glossary.md#shortcut-ceiling), a dashed line is chance.

![Accuracy by problem, with intervals, chance and shortcut ceilings](pictures/gallery-accuracy.svg)

```bash
probsense figure accuracy probsense.db --task worldsense --out gallery-accuracy.svg
```
"""

TAIL = """\
## A page of them

[`probsense report`](report.md) puts the charts of all runs on one page, with tables, sentences and every question.

![The top of a report: the profile of three models in six tasks, and what was found](pictures/report.png)
"""

SOURCES = {
    "pq": "figures",
    "persona_spread": "personas.db",
    "persona_groups": "personas.db",
    "components": "vary.db",
    "pulls": "vary.db",
}
"""Sources of charts other than the store of the first command."""

EXPLAINED = {
    "choices": "choices.md#how-to-read-the-results",
    "frames": "frames.md#what-is-measured",
    "judgments": "judgments.md#how-to-read-the-results",
    "suite": "suite.md#how-to-read-them",
    "winogrande": "winogrande.md#how-to-read-the-results-and-known-faults",
    "worldsense": "worldsense.md#how-to-read-the-results",
    "accuracy_by_depth": "worldsense.md#difficulty",
    "accuracy_by_form": "worldsense.md#forms",
    "accuracy_by_skin": "worldsense.md#what-an-interval-covers",
    "bias_by_depth": "worldsense.md#difficulty",
    "bias_by_skin": "worldsense.md#what-an-interval-covers",
    "bound": "frames.md#how-answers-are-compared",
    "components": "judgments.md#prompt-sensitivity",
    "culture": "judgments.md#one-culture-and-who-knows-it",
    "departures": "judgments.md#distributional-alignment-and-human-label-variation",
    "features": "judgments.md#a-worked-example",
    "persona_spread": "judgments.md#personas",
    "persona_groups": "judgments.md#personas",
    "pq": "pq.md",
    "pulls": "judgments.md#position-bias-and-acquiescence",
    "share_calibration": "judgments.md#distributional-alignment-and-human-label-variation",
    "shares": "judgments.md#few-raters-pooled",
}
"""Where a chart is explained, or else the charts of its task."""


def gallery() -> str:
    """Write the page."""
    return "\n".join(
        (HEAD, *(line for task in task_names() if words_named(task).charts for line in _task(task)), TAIL)
    )


def pictured(task: str, chart: str) -> str:
    """Name the picture of a task's chart."""
    return f"gallery-{task}-{chart}.svg"


def _task(task: str) -> Iterator[str]:
    words = words_named(task)
    yield f"## {words.title}\n"
    for name, kind in words.charts.items():
        yield from _chart(task, name, kind)


def _chart(task: str, name: str, kind: ChartKind) -> Iterator[str]:
    source, place = SOURCES.get(name, "probsense.db"), EXPLAINED.get(name, EXPLAINED.get(task, f"{task}.md"))
    meaning = re.split(r"[.;] ", f"{kind.meaning[:1].upper()}{kind.meaning[1:]}".rstrip("."))[0]
    yield f"### {kind.title}\n"
    yield f"{meaning} ([more]({place})).\n"
    yield f"![{words_named(task).title}: {name}](pictures/{pictured(task, name)})\n"
    yield f"```bash\nprobsense figure {name} {source} --task {task} \\\n    --out {pictured(task, name)}\n```\n"
