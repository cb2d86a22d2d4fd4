"""The evaluator: fixed numbers of answers, controls, ceilings and intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from probsense.analysis.open_answers.evaluator import Evaluation, ReplicatedEstimate, evaluate
from probsense.analysis.open_answers.questions import Cluster, ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import Similarities, char_tfidf, cosine, exact
from probsense.core.errors import InputError

FEW = ComparisonSettings(draws=20, splits=20, repeats=2)
SORTS = ("people", "automatic", "none")


def question(name: str, *clusters: dict[str, int]) -> Question:
    raw = {answer: count for cluster in clusters for answer, count in cluster.items()}
    made = tuple(
        Cluster(f"{name}.{k}", sum(cluster.values()), tuple(cluster)) for k, cluster in enumerate(clusters)
    )
    return Question(name, f"What about {name}?", raw, made)


KITCHEN = question(
    "kitchen", {"kettle": 12, "tea kettle": 4, "the kettle": 2}, {"spoon": 10, "wooden spoon": 5}, {"oven": 7}
)
GARDEN = question("garden", {"rake": 15, "leaf rake": 3}, {"shovel": 12, "spade": 2}, {"watering can": 8})
HARBOUR = question("harbour", {"ships": 14, "a ship": 6}, {"crane": 9, "cranes": 5}, {"gulls": 6})
ASKED = (KITCHEN, GARDEN, HARBOUR)
LIKE = {q.id: q.raw for q in ASKED}
SIMILARITY = cosine(char_tfidf([answer for q in ASKED for answer in q.raw]))


def numbers(results: Evaluation) -> list[float]:
    figures = [*results.overall.values(), *(f for q in results.questions for f in q.estimates.values())]
    return [number for figure in figures for number in (figure.value, *figure.replicates)]


@pytest.mark.parametrize("clusters", SORTS)
def test_people_again_are_near_people_and_strangers_far(clusters):
    settings = replace(FEW, clusters=clusters)
    like = evaluate(ASKED, LIKE, SIMILARITY, settings)
    strange = {q.id: other.raw for q, other in zip(ASKED, ASKED[1:] + ASKED[:1], strict=True)}
    far = evaluate(ASKED, strange, SIMILARITY, settings)
    assert abs(like.overall["normalised"].value) < 0.1
    assert far.overall["normalised"].value > 0.8
    assert like.overall["matched"].value > 0.9
    assert far.overall["matched"].value < 0.2
    for results in (like, far):
        assert results.overall["false_match_rate"].value <= 1
        assert results.overall["kl"].value >= 0


def test_a_figure_without_chance_is_that_of_its_formula():
    """All people say the same, all answers of the model are compared: nothing is left to draw."""
    asked = replace(question("q", {"a": 8}, {"b": 1}), raw={"a": 8})
    alike = {"a": (1.0, 0.2), "b": (0.2, 1.0), "x": (0.7, 0.3), "y": (0.1, 0.45)}

    def similarity(a, b):
        return np.array([[alike[s]["ab".index(t)] for t in b] for s in a])

    settings = replace(FEW, contrast=0.0, answers=4)
    results = evaluate([asked], {"q": {"x": 3, "y": 1}}, similarity, settings)
    shares = []
    for string in "xy":
        odds = [math.exp((s - 0.4) / 0.05) for s in alike[string]] + [1.0]
        shares.append([o / sum(odds) for o in odds])
    q = [(3 * x + y + 1) / (4 + 3) for x, y in zip(*shares, strict=True)]
    p = [(4 + 1) / (4 + 3), 1 / 7, 1 / 7]
    expected = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    figures = results.questions[0].estimates
    assert abs(figures["kl"].value - expected) < 1e-12
    assert abs(figures["matched"].value - (3 * (1 - shares[0][2]) + 1 - shares[1][2]) / 4) < 1e-12
    assert results.questions[0].people == 4
    assert results.questions[0].answers == 4


def test_nobody_is_matched_to_himself():
    """Every person says something else, and only equal strings are alike: the halves have nothing in common."""
    asked = question("q", dict.fromkeys("abcdefgh", 1))
    (found,) = evaluate([asked], {"q": {"a": 8}}, exact, replace(FEW, contrast=0.0, draws=0)).questions
    p, q = np.array([5, 1]) / 6, np.array([1, 5]) / 6
    # An answer of another string still is a match with the odds of e to the power of −0.4/0.05.
    assert abs(found.estimates["split_half"].value - (p * np.log(p / q)).sum()) < 0.01


@pytest.mark.parametrize("clusters", SORTS)
def test_the_number_of_answers_cannot_pass_for_quality(clusters):
    settings = replace(FEW, clusters=clusters, splits=200, draws=0, answers=10)
    more = {name: {answer: 10 * count for answer, count in raw.items()} for name, raw in LIKE.items()}
    few, many = (evaluate(ASKED, answers, SIMILARITY, settings) for answers in (LIKE, more))
    assert abs(few.overall["kl"].value - many.overall["kl"].value) < 0.05
    assert [q.answers for q in many.questions] == [10] * 3


def test_the_same_seed_gives_the_same_numbers():
    first, again = (evaluate(ASKED, LIKE, SIMILARITY, FEW) for _ in range(2))
    assert numbers(first) == numbers(again)
    assert numbers(first) != numbers(evaluate(ASKED, LIKE, SIMILARITY, replace(FEW, seed=1)))


def test_a_question_has_its_figures_whatever_the_others_are():
    alone = evaluate([KITCHEN], LIKE, SIMILARITY, FEW).questions[0].estimates
    among = evaluate(ASKED[::-1], LIKE, SIMILARITY, FEW).questions[-1].estimates
    for measure in ("kl", "js", "split_half"):
        assert alone[measure].value == among[measure].value


def test_without_other_questions_there_are_no_controls():
    results = evaluate([KITCHEN], LIKE, SIMILARITY, FEW)
    assert not {"unrelated", "normalised", "false_match_rate"} & set(results.overall)
    assert results.overall["kl"].value == results.questions[0].estimates["kl"].value


@pytest.mark.parametrize("divergence", ["js", "total_variation", "hellinger"])
def test_any_divergence_can_be_set_between_people_and_strangers(divergence):
    results = evaluate(ASKED, LIKE, SIMILARITY, replace(FEW, divergence=divergence))
    overall = results.overall
    assert 0 <= overall["split_half"].value < overall["unrelated"].value <= 1
    assert abs(overall["normalised"].value) < 0.15


def test_false_matches_are_counted():
    """The model says what people say to every question: it is matched there, too."""
    both = {q.id: {**KITCHEN.raw, **GARDEN.raw, **HARBOUR.raw} for q in ASKED}
    results = evaluate(ASKED, both, exact, FEW)
    kitchen, garden, harbour = (sum(q.raw.values()) for q in ASKED)
    found = results.questions[0].estimates["false_match_rate"].value
    assert abs(found - (garden + harbour) / 2 / (kitchen + garden + harbour)) < 0.01


def test_answers_like_none_of_peoples_are_listed_with_the_nearest():
    answers = {"kettle": 3, "zzz": 5, "oven glove": 2, "": 4}
    (found,) = evaluate([KITCHEN], {"kitchen": answers}, SIMILARITY, FEW).questions
    assert [(own.answer, own.count) for own in found.unmatched] == [("zzz", 5), ("", 4)] + [
        (own.answer, own.count) for own in found.unmatched[2:]
    ]
    assert found.unmatched[0].nearest == ""
    assert found.model_shares[-1] > 0.5
    assert found.clusters == ("kitchen.0", "kitchen.1", "kitchen.2", "wrong")
    np.testing.assert_allclose(found.people_shares, np.array([18, 15, 7, 0]) / 40)


def test_automatic_clusters_are_named_by_their_most_frequent_answer():
    plain = replace(KITCHEN, clusters=())
    (found,) = evaluate([plain], LIKE, SIMILARITY, FEW).questions
    assert {"kettle", "spoon", "oven"} <= set(found.clusters)
    assert found.clusters[-1] == "wrong"
    np.testing.assert_allclose([found.people_shares.sum(), found.model_shares.sum()], 1)


def test_one_similarity_without_the_kernel_is_that_of_automatic_clusters():
    settings = replace(FEW, clusters="automatic", sizes=(2, 4))
    one = evaluate(ASKED, LIKE, SIMILARITY, settings)
    same = evaluate(
        ASKED, LIKE, exact, settings, lambda question: Similarities((SIMILARITY,), (settings.contrast,))
    )
    assert numbers(one) == numbers(same)
    assert [q.clusters for q in one.questions] == [q.clusters for q in same.questions]


def test_several_similarities_are_a_mean_of_their_comparisons():
    """Divergences are means, with the kernel half and half; matches are those of the first similarity."""
    settings = replace(FEW, clusters="automatic", draws=0, sizes=(2, 4))

    def by(*sources, kernel=False, own=settings):
        means = tuple((i,) for i in range(len(sources)))
        several = Similarities(sources, (own.contrast,) * len(sources), means, kernel)
        (found,) = evaluate(
            [KITCHEN], {"kitchen": GARDEN.raw | KITCHEN.raw}, exact, own, lambda _: several
        ).questions
        return {name: figure.value for name, figure in found.estimates.items()}

    partitions, other, both = by(SIMILARITY), by(exact), by(SIMILARITY, exact)
    (blurred,) = evaluate(
        [KITCHEN], {"kitchen": GARDEN.raw | KITCHEN.raw}, SIMILARITY, replace(settings, clusters="none")
    ).questions
    halves = by(SIMILARITY, kernel=True)
    for measure in ("kl", "js", "split_half"):
        assert both[measure] == pytest.approx((partitions[measure] + other[measure]) / 2, abs=1e-12)
        kernel = blurred.estimates[measure].value
        assert halves[measure] == pytest.approx((partitions[measure] + kernel) / 2, abs=1e-12)
        assert partitions[measure] != pytest.approx(other[measure], abs=1e-3)
    assert both["matched"] == partitions["matched"]


@pytest.mark.parametrize("clusters", ["people", "none"])
def test_several_similarities_change_nothing_with_peoples_clusters_or_none(clusters):
    settings = replace(FEW, clusters=clusters)
    several = evaluate(ASKED, LIKE, SIMILARITY, settings, lambda _: Similarities((exact,), (0.0,)))
    assert numbers(several) == numbers(evaluate(ASKED, LIKE, SIMILARITY, settings))


def test_what_cannot_be_compared_is_skipped_with_a_reason():
    lonely = question("lonely", {"one": 1})
    results = evaluate([KITCHEN, lonely, GARDEN], {"kitchen": KITCHEN.raw, "garden": {}}, SIMILARITY, FEW)
    assert [q.id for q in results.questions] == ["kitchen"]
    assert set(results.skipped) == {"lonely", "garden"}
    nothing = evaluate([lonely], {}, SIMILARITY, FEW)
    assert nothing.questions == ()
    assert nothing.overall == {}


def test_few_answers_are_compared_at_their_number_and_named():
    results = evaluate(ASKED, {**LIKE, "garden": {"rake": 2}}, SIMILARITY, replace(FEW, answers=15))
    assert results.short == ("garden",)
    assert [q.answers for q in results.questions] == [15, 2, 15]


def test_people_put_in_no_cluster_count_only_without_clusters():
    stray = replace(KITCHEN, raw={**KITCHEN.raw, "moon": 40})
    grouped, free = (
        evaluate([stray], LIKE, SIMILARITY, replace(FEW, clusters=clusters)).questions[0]
        for clusters in ("people", "automatic")
    )
    assert grouped.people == 20
    assert free.people == 40


@pytest.mark.parametrize("clusters", SORTS)
def test_odd_answers_are_answers(clusters):
    odd = {"": 2, "🫖": 3, "מברשת": 2, "x" * 10_000: 1}
    asked = Question("odd", "Odd?", {**odd, "kettle": 4})
    similarity = cosine(char_tfidf([*odd, "kettle"]))
    settings = replace(FEW, clusters=clusters)
    results = evaluate([asked, KITCHEN], {"odd": odd, "kitchen": odd}, similarity, settings)
    assert all(np.isfinite(number) for number in numbers(results))


def test_clusters_that_share_a_string_share_its_people():
    shared = Question("q", "Q?", {"a": 4, "b": 4}, (Cluster("1", 8, ("a", "b")), Cluster("2", 4, ("a",))))
    (found,) = evaluate([shared], {"q": {"a": 1, "b": 1}}, exact, FEW).questions
    np.testing.assert_allclose(found.people_shares, [0.75, 0.25, 0])


def test_intervals_hold_the_figures_and_none_are_drawn_if_none_are_wanted():
    results = evaluate(ASKED, LIKE, SIMILARITY, FEW)
    for figure in results.overall.values():
        low, high = figure.interval
        assert low <= figure.value <= high
    bare = evaluate(ASKED, LIKE, SIMILARITY, replace(FEW, draws=0)).overall["kl"]
    assert bare.value == results.overall["kl"].value
    assert math.isnan(bare.stderr)
    assert all(math.isnan(end) for end in bare.interval)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """A world in which answers are drawn anew: 95 of 100 intervals should hold the mean of the figure."""
    rng = np.random.default_rng(3)
    settings = ComparisonSettings(draws=100, splits=40, repeats=4, answers=12)
    parts = [np.array([*KITCHEN.raw.values()], float), np.array([2.0, 1, 5, 9, 4, 3])]

    def world() -> ReplicatedEstimate:
        drawn = [rng.multinomial(n, part / part.sum()) for n, part in zip((60, 40), parts, strict=True)]
        people, model = (
            {a: int(c) for a, c in zip(KITCHEN.raw, counts, strict=True) if c} for counts in drawn
        )
        kept = replace(
            KITCHEN,
            raw=people,
            clusters=tuple(
                replace(cluster, answers=own)
                for cluster in KITCHEN.clusters
                if (own := tuple(a for a in cluster.answers if a in people))
            ),
        )
        chosen = replace(settings, seed=int(rng.integers(2**31)))
        return evaluate([kept], {"kitchen": model}, SIMILARITY, chosen).questions[0].estimates["kl"]

    figures = [world() for _ in range(60)]
    truth = np.mean([figure.value for figure in figures])
    held = sum(low <= truth <= high for low, high in (figure.interval for figure in figures))
    assert held >= 51
    spread = np.std([figure.value for figure in figures])
    assert 0.7 < np.mean([figure.stderr for figure in figures]) / spread < 1.7


@pytest.mark.parametrize("wrong", [{"answers": 0}, {"seed": -1}])
def test_settings_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InputError):
        ComparisonSettings(**wrong)
