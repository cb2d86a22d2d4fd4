"""Measures how many times faster open answers are scored than by loops that follow the definitions.

    python benchmarks/frames.py [REFERENCE_FOLDER] [--questions 12] [--sets 50] [--repeats 3]

Each side computes two things for 52 published questions: ProbEval by the published method, for sets of 100 answers
drawn from the people's and a model's; and the whole table of ProtoQA, eight measures by five similarities. Beside
each stand loops written from the definitions, which look up each phrase in WordNet once, as ours do. Those for
ProbEval remember each pair of strings that they have compared; those for ProtoQA, as the released evaluator, do not.

The loops go through some of the questions, evenly spread; the script compares figures on the same ones first, and
then times. It empties our caches before each run; nltk's own cache of synsets is full for all. Times are CPU seconds
of one process: the least of the repeats for ours, those of one run for the loops. WordNet's files are open
beforehand.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from probsense.analysis.open_answers.probeval import by_similarity, human_gold, published_scores
from probsense.analysis.open_answers.protoqa import MEASURES, Limits, board, measures, published_by_similarity
from probsense.analysis.open_answers.questions import Counts, Question, Similarity
from probsense.analysis.open_answers.similarity import exact, subsequence, substring
from probsense.analysis.open_answers.wordnet import STOP_WORDS, partition_score, sentences, wordnet
from probsense.tasks.frames.questions.frames import read_frames
from probsense.tasks.frames.questions.predictions import read_predictions
from probsense.tasks.frames.similarities.wordnet import WordNet, load

REFERENCE = Path(os.environ.get("PROBSENSE_REFERENCE", Path(__file__).parents[2] / "shared" / "data"))
QUESTIONS, ANSWERS = 52, 100
"""The published numbers: questions, and answers in a set."""

Score = Callable[[str, str], float]


class Asked(NamedTuple):
    """A question, ranked answers to it, and sets of answers."""

    question: Question
    ranked: Sequence[str]
    sets: Sequence[Counts]


def read(folder: Path, sets: int) -> list[Asked]:
    """Read published questions, with sets drawn from the answers of people and a model."""
    rng = np.random.default_rng(1)
    asked = []
    for targets, predictions in (
        ("protoqa_dev.targets.jsonl", "protoqa_dev.annotated_predictions.json"),
        ("cfc_dev.targets.jsonl", "cfc_dev.predictions.json"),
    ):
        given = read_predictions(folder / predictions)
        for question in (frame.people for frame in read_frames(folder / targets)):
            if question.id in given.counts:
                pool = dict(question.raw)
                for answer, count in given.counts[question.id].items():
                    pool[answer] = pool.get(answer, 0) + count
                shares = np.array(list(pool.values())) / sum(pool.values())
                drawn = [
                    {a: n for a, n in zip(pool, row, strict=True) if n}
                    for row in rng.multinomial(ANSWERS, shares, size=sets).tolist()
                ]
                asked.append(Asked(question, given.ranked[question.id], drawn))
    return asked[:QUESTIONS]


# The definitions, one pair of strings at a time.


def partitions(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield all ways to cut tokens into contiguous parts."""
    for cuts in range(2 ** (len(tokens) - 1)):
        parts, start = [], 0
        for i in range(1, len(tokens)):
            if cuts >> (i - 1) & 1:
                parts.append(" ".join(tokens[start:i]))
                start = i
        yield [*parts, " ".join(tokens[start:])]


def wordnet_loops(lexicon: WordNet) -> Score:
    """Find the best matching of parts over all pairs of partitions."""

    def cut(text: str) -> list[list[str]]:
        words = [word for sentence in sentences(text) for word in lexicon.words(sentence)]
        return list(partitions([word for word in words if word not in STOP_WORDS] or [""]))

    def alike(x: str, y: str) -> bool:
        return x == y or not lexicon.synsets(x).isdisjoint(lexicon.synsets(y))

    def score(a: str, b: str) -> float:
        best = 0.0
        for left in cut(a):
            for right in cut(b):
                same = np.array([[alike(x, y) for y in right] for x in left], dtype=float)
                if same.any():
                    rows, columns = linear_sum_assignment(-same)
                    best = max(best, same[rows, columns].sum() / max(same.shape))
        return best

    return score


def exact_loops(a: str, b: str) -> float:
    return float(a == b)


def substring_loops(a: str, b: str) -> float:
    found = SequenceMatcher(None, a, b).find_longest_match(0, len(a), 0, len(b))
    return found.size / max(len(a), len(b))


def subsequence_loops(a: str, b: str) -> float:
    blocks = SequenceMatcher(None, a, b).get_matching_blocks()
    return sum(block.size for block in blocks) / max(len(a), len(b))


def processed(answer: str) -> str:
    return answer.lower()[:50].strip()


def probeval_loops(asked: Sequence[Asked], lexicon: WordNet) -> list[float]:
    """Compute the KL divergence of every set of answers."""
    score = cache(wordnet_loops(lexicon))
    found = []
    for question, _, sets in asked:
        clusters = question.clusters
        n = sum(cluster.count for cluster in clusters)
        for answers in sets:
            counts = [0.0] * (len(clusters) + 1)
            for answer, count in answers.items():
                fits = [max(score(processed(answer), member) for member in c.answers) for c in clusters]
                best = max(fits)
                chosen = [k for k, fit in enumerate(fits) if fit == best] if best > 0 else [len(clusters)]
                for k in chosen:
                    counts[k] += count / len(chosen)
            kl = 0.0
            for cluster_count, count in zip([*(c.count for c in clusters), 0], counts, strict=True):
                p = (cluster_count + 1) / (n + len(counts))
                q = (count + 1) / (sum(answers.values()) + len(counts))
                kl += p * math.log(p / q)
            found.append(kl)
    return found


def probeval_ours(asked: Sequence[Asked], lexicon: WordNet) -> list[float]:
    match = by_similarity(wordnet(lexicon))
    return [
        kl for one in asked for kl in published_scores(human_gold(one.question), one.sets, match).tolist()
    ]


def protoqa_loops(asked: Sequence[Asked], lexicon: WordNet) -> list[float]:
    """Compute every measure by every similarity, each as if it were the only one."""
    words = wordnet_loops(lexicon)
    similarities: Mapping[str, tuple[Score, bool]] = {
        "exact": (exact_loops, False),
        "wordnet": (words, True),
        "wordnet soft": (words, False),
        "substring": (substring_loops, True),
        "subsequence": (subsequence_loops, True),
    }
    found = []
    for score, hard in similarities.values():
        for question, ranked, _ in asked:
            oracle = [c.answers[0] for c in sorted(question.clusters, key=lambda c: -c.count)]
            for limits in MEASURES.values():
                earned, best = (reward(question, r, score, hard, limits) for r in (ranked, oracle))
                found.append(earned / best)
    return found


def reward(question: Question, ranked: Sequence[str], score: Score, hard: bool, limits: Limits) -> float:
    rows = []
    for answer in ranked[: limits.answers]:
        row = [max(score(processed(answer), member) for member in c.answers) for c in question.clusters]
        rows.append(np.round(row) if hard else np.array(row))
        if sum(not each.any() for each in rows) == limits.incorrect:
            break
    rewards = np.array(rows) * [c.count for c in question.clusters]
    return float(rewards[linear_sum_assignment(-rewards)].sum())


def protoqa_ours(asked: Sequence[Asked], lexicon: WordNet) -> list[float]:
    words = wordnet(lexicon)
    similarities: Sequence[tuple[Similarity, bool]] = [
        (exact, False),
        (words, True),
        (words, False),
        (substring, True),
        (subsequence, True),
    ]
    return [
        value
        for similarity, hard in similarities
        for question, ranked, _ in asked
        for value in measures(
            board(question, ranked, published_by_similarity(question, similarity, hard=hard)), ranked
        ).values()
    ]


def timed(
    work: Callable[[Sequence[Asked], WordNet], list[float]],
    asked: Sequence[Asked],
    lexicon: WordNet,
    repeats: int = 1,
) -> tuple[float, list[float]]:
    """Run some times without memory of other runs; return the least CPU seconds and the results."""
    taken = []
    for _ in range(repeats):
        lexicon.synsets.cache_clear()
        partition_score.cache_clear()
        started = time.process_time()
        found = work(asked, lexicon)
        taken.append(time.process_time() - started)
    return min(taken), found


def main() -> None:
    """Print the table; fail if anything differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reference", type=Path, nargs="?", default=REFERENCE)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    lexicon, same = load(), True
    asked = read(options.reference / "frames", options.sets)
    some = asked[:: len(asked) // options.questions][: options.questions]
    print(f"{len(asked)} questions, {options.sets} sets of {ANSWERS} answers; loops over {len(some)} of them")
    for name, ours, loops in (
        ("ProbEval", probeval_ours, probeval_loops),
        ("ProtoQA table", protoqa_ours, protoqa_loops),
    ):
        whole, _ = timed(ours, asked, lexicon, options.repeats)
        fast, found = timed(ours, some, lexicon, options.repeats)
        slow, expected = timed(loops, some, lexicon)
        same &= np.allclose(found, expected, rtol=0, atol=1e-12)
        print(
            f"{name:15}{whole:7.2f} s in all;   of some {fast:6.3f} s, loops {slow:7.2f} s, {slow / fast:5,.0f} x"
        )
    print(f"the same figures from all: {same}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
