"""Any installed task as a task of lm-evaluation-harness: YAML names this class, the task and the measures to show.

See the folder ``tasks`` beside this file. The harness asks all requests at once, so a task that would ask on, depending
on the answers, cannot be asked there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from math import nan
from typing import Any, Final

from datasets import Dataset
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask

from probsense.analysis.distributions.option_views import TOKEN_RULES
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.records import Item, Request, Turn, continued, opened
from probsense.interop import hosted
from probsense.models.base import Capabilities
from probsense.models.lm_eval import pieces, response
from probsense.tasks.base import Answered
from probsense.tasks.conditions.crossed import CONDITIONS
from probsense.tasks.registry import task_options

LOG: Final = logging.getLogger("lm_eval")
HARNESS: Final = "lm-evaluation-harness"
STDERR: Final = "_stderr"
"""The harness shows the metric ``NAME_stderr`` as the standard error of the metric ``NAME``; samples have none."""
CHOICES: Final = ("metric", "measure", "method", "aggregation", "higher_is_better")
"""Keys of a metric in YAML that are no keys of an estimate."""
ALIKE: Final = 0.85
"""How alike two names are, from 0 to 1, where one is a slip for the other."""


class Graded(float):
    """The score of a document, with the answers that aggregation needs."""

    item: str
    answers: hosted.Written


class HarnessTask(ConfigurableTask):  # type: ignore[misc]
    """A task of ProbSense whose requests the harness asks, and whose answers the task itself measures.

    Parameters
    ----------
    config : dict
        What the YAML says: ``dataset_name`` is the name of the task. Each entry of ``metric_list`` names a metric, and
        its further keys choose the estimate that it shows: ``measure`` (by default the name of the metric),
        ``method``, and keys of the estimate, such as ``problem``; the first estimate that fits counts. ``metadata`` has
        the options of the task, and "method"; other names in it are the model's.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        name, metadata = config["dataset_name"], config.get("metadata") or {}
        self._asked = hosted.ready_task(
            name,
            _options(name, metadata),
            who=HARNESS,
            capabilities=lambda _: Capabilities(score=True, labels="exact", sample=True),
        )
        self._task, self._items = hosted.task_again(self._asked)
        if self._task.options.get("rule") in TOKEN_RULES:
            raise InputError(
                f"the rule {self._task.options['rule']!r} inside {HARNESS}, which has sums over tokens only"
            )
        method = self._asked.method
        if any(
            len(self._task.most_requests(item, method)) > len(self._requests(item))
            for item in self._items.values()
        ):
            raise InputError(
                f"{name} by {method} asks on, depending on the answers, and {HARNESS} asks once",
                expected="another method, or probsense run",
            )
        self._metrics = config["metric_list"]
        self._prompt: Callable[[Sequence[Turn], str], str] = continued
        self._reply = False
        self._recorded: Mapping[str, hosted.Written] = {}
        self._scores: Mapping[str, Mapping[str, float | None]] = {}
        self._answered: Answered | None = None
        texts = method == "sample"
        super().__init__(
            config={key: value for key, value in config.items() if key != "class"}
            | {
                "output_type": "generate_until" if texts else "loglikelihood",
                "generation_kwargs": {"until": []} if texts else None,
                "test_split": "test",
                "doc_to_text": "text",
                "doc_to_target": "gold",
                "num_fewshot": 0,
                "process_results": HARNESS,
                "metric_list": [
                    {"higher_is_better": None, **one, "aggregation": "mean"} for one in self._metrics
                ],
                "metadata": {
                    **metadata,
                    "version": self._task.version,
                    "options": dict(self._task.options),
                    "method": method,
                },
            }
        )

    def _requests(self, item: Item) -> Sequence[Request]:
        return self._task.requests(item, self._asked.method, {})

    def download(self, *_: object, **__: object) -> None:
        """Make the documents: one for each item."""
        self.dataset = {"test": Dataset.from_list(hosted.documents(self._items.values()))}

    def build_all_requests(self, *, system_instruction: str | None = None, **options: Any) -> None:
        """Build the requests anew each time: the harness's cache of requests knows nothing of a task's options."""
        template = options.get("chat_template") if options.get("apply_chat_template") else None
        # A text to continue is no question, with a template or without.
        self._reply = template is not None and self._task.prompt_form == "question"
        system = system_instruction or ""

        def prompt(turns: Sequence[Turn], last: str) -> str:
            if not self._reply or template is None:
                return opened(system, continued(turns, last))
            said = [("system", system)] if system else []
            said += [one for turn in turns for one in zip(("user", "assistant"), turn, strict=True)]
            said.append(("user", last))
            return str(template([{"role": role, "content": content} for role, content in said]))

        self._prompt = prompt
        super().build_all_requests(
            system_instruction=system_instruction, **options | {"cache_requests": False}
        )

    def fewshot_context(self, doc: Mapping[str, Any], *_: object, **__: object) -> str:
        """Return the words of the item: its requests have their own prompts."""
        return str(doc["text"])

    def construct_requests(
        self, doc: Mapping[str, Any], ctx: str, *, metadata: tuple[Any, ...], **_: object
    ) -> list[Instance]:
        """Make the harness's requests for one item."""
        found = [
            piece
            for request in self._requests(self._items[doc["id"]])
            for piece in pieces(request, self._prompt, reply=self._reply)
        ]
        return [Instance(piece.kind, doc, piece.arguments, i, metadata) for i, piece in enumerate(found)]

    def apply_filters(self) -> None:
        """Score the items as soon as all answers have come, since an item's score may depend on others."""
        super().apply_filters()
        results: dict[str, list[Any]] = {}
        for instance in sorted(self.instances, key=lambda one: one.idx):
            (result,) = instance.filtered_resps.values()
            results.setdefault(instance.doc["id"], []).append(result)
        self._recorded = {item: self._written(item, found) for item, found in results.items()}
        self._answered = hosted.answered_again(self._asked, self._recorded)
        self._scores = {}
        measured = self._answered.results
        for note in (*measured.warnings, *measured.notes):
            LOG.warning("%s: %s", self.task_name, note)
        try:
            items, scores, *_ = self._task.item_scores(self._answered)
        except InputError:
            return  # Estimates may exist where single items have no scores.
        self._scores = dict(zip(items["item"], scores.iter_rows(named=True), strict=True))

    def process_results(self, doc: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """Score a document by every metric, and add to it what comparisons should know of the item."""
        item = doc["id"]
        answers = self._recorded[item]
        doc[hosted.KEY] = {"asked": self._asked, "answers": answers}
        found: dict[str, Any] = {}
        for metric in self._metrics:
            score = self._scores.get(item, {}).get(_measure_of(metric))
            graded = Graded(nan if score is None else score)
            graded.item, graded.answers = item, answers
            found |= {metric["metric"]: graded, f"{metric['metric']}{STDERR}": None}
        return found

    def aggregation(self) -> dict[str, Callable[[Sequence[Any]], float]]:
        """Return the functions that take each metric, and its standard error, from the task's own estimates."""
        return {
            f"{metric['metric']}{ending}": partial(self._figure, metric, figure)
            for metric in self._metrics
            for figure, ending in (("value", ""), ("stderr", STDERR))
        }

    def _figure(self, metric: Mapping[str, Any], figure: str, scores: Sequence[Graded]) -> float:
        """Return what the estimate has that a metric shows; NaN where there is none."""
        # Other processes may have asked some of the items. The error comes after the value, and its scores are None.
        if self._answered is None or (figure == "value" and len(scores) != len(self._answered.items)):
            self._answered = hosted.answered_again(self._asked, {one.item: one.answers for one in scores})
        fitting = (one for one in self._answered.results.estimates if _fits(one, metric))
        return next((float(getattr(one, figure)) for one in fitting), nan)

    def _written(self, item: str, results: Sequence[Any]) -> hosted.Written:
        left: Iterator[Any] = iter(results)
        requests = self._requests(self._items[item])
        return hosted.written({request: response(request, left, reply=self._reply) for request in requests})


def _options(name: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Choose the task's options from metadata, in which the harness puts the arguments of the model, too."""
    known = [*task_options(name), hosted.METHOD, CONDITIONS]
    for key in metadata:
        # An argument of a model may look a little like an option: "delta" is not a slip for "data".
        if key not in known and (near := get_close_matches(key, known, n=1, cutoff=ALIKE)):
            raise InputError(f"the task {name!r} takes no option {key!r}; did you mean {near[0]!r}?")
    return {key: value for key, value in metadata.items() if key in known}


def _measure_of(metric: Mapping[str, Any]) -> str:
    return str(metric.get("measure", metric["metric"]))


def _fits(estimate: Estimate, metric: Mapping[str, Any]) -> bool:
    by = {key: value for key, value in metric.items() if key not in CHOICES}
    return (
        estimate.by.get("model") == hosted.ASKED
        and estimate.measure == _measure_of(metric)
        and metric.get("method", estimate.method) == estimate.method
        and by.items() <= dict(estimate.by).items()
    )
