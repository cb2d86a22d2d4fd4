"""The evaluator: fixed numbers of answers, controls, ceilings and intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest

from probsense.analysis.open_answers.evaluator import evaluate
from probsense.analysis.open_answers.questions import Cluster, ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import Similarities, char_tfidf, cosine, exact
from probsense.core.errors import InputError

FEW = ComparisonSettings(draws=20, splits=20, repeats=2)
SORTS = ("people", "automatic", "none")


def question(name, *clusters):
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


def numbers(results):
    figures = [*results.overall.values(), *(f for q in results.questions for f in q.estimates.values())]
    return [number for figure in figures for number in (figure.value, *figure.replicates)]


def asked(questions=ASKED, said=LIKE, similarity=SIMILARITY, several=None, **changed):
    return evaluate(questions, said, similarity, replace(FEW, **changed), several)


def values(results):
    return {name: figure.value for name, figure in results.items()}


@pytest.mark.parametrize("clusters", SORTS)
def test_people_again_are_near_people_and_strangers_far(clusters):
    strange = {q.id: other.raw for q, other in zip(ASKED, ASKED[1:] + ASKED[:1], strict=True)}
    like, far = (values(asked(said=own, clusters=clusters).overall) for own in (LIKE, strange))
    assert abs(like["normalised"]) < 0.1
    assert far["normalised"] > 0.8
    assert like["matched"] > 0.9
    assert far["matched"] < 0.2


def test_a_figure_without_chance_is_that_of_its_formula():
    """All people say the same, all answers of the model are compared: nothing is left to draw."""
    unanimous = replace(question("q", {"a": 8}, {"b": 1}), raw={"a": 8})
    alike = {"a": (1.0, 0.2), "b": (0.2, 1.0), "x": (0.7, 0.3), "y": (0.1, 0.45)}

    def similarity(a, b):
        return np.array([[alike[s]["ab".index(t)] for t in b] for s in a])

    (found,) = asked([unanimous], {"q": {"x": 3, "y": 1}}, similarity, contrast=0.0, answers=4).questions
    shares = []
    for string in "xy":
        odds = [math.exp((s - 0.4) / 0.05) for s in alike[string]] + [1.0]
        shares.append([o / sum(odds) for o in odds])
    q = [(3 * x + y + 1) / (4 + 3) for x, y in zip(*shares, strict=True)]
    p = [(4 + 1) / (4 + 3), 1 / 7, 1 / 7]
    expected = sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    assert abs(found.estimates["kl"].value - expected) < 1e-12
    assert abs(found.estimates["matched"].value - (3 * (1 - shares[0][2]) + 1 - shares[1][2]) / 4) < 1e-12
    assert (found.people, found.answers) == (4, 4)


def test_nobody_is_matched_to_himself():
    """Every person says something else, and only equal strings are alike: the halves have nothing in common."""
    each = question("q", dict.fromkeys("abcdefgh", 1))
    (found,) = asked([each], {"q": {"a": 8}}, exact, contrast=0.0).questions
    p, q = np.array([5, 1]) / 6, np.array([1, 5]) / 6
    # An answer of another string still is a match with the odds of e to the power of −0.4/0.05.
    assert abs(found.estimates["split_half"].value - (p * np.log(p / q)).sum()) < 0.01


@pytest.mark.parametrize("clusters", SORTS)
def test_the_number_of_answers_cannot_pass_for_quality(clusters):
    more = {name: {answer: 10 * count for answer, count in raw.items()} for name, raw in LIKE.items()}
    settings = {"clusters": clusters, "splits": 200, "draws": 2, "answers": 10}
    few, many = (asked(said=own, **settings) for own in (LIKE, more))
    assert abs(few.overall["kl"].value - many.overall["kl"].value) < 0.05
    assert [q.answers for q in many.questions] == [10] * 3


def test_a_seed_gives_a_question_its_figures_whatever_the_others_are():
    first, again, other = (numbers(asked(seed=seed)) for seed in (0, 0, 1))
    assert first == again != other
    alone = asked([KITCHEN])
    among = asked(ASKED[::-1]).questions[-1].estimates
    for measure in ("kl", "js", "split_half"):
        assert alone.overall[measure].value == among[measure].value
    assert not {"unrelated", "normalised", "false_match_rate"} & {*alone.overall}


@pytest.mark.parametrize("divergence", ["js", "total_variation", "hellinger"])
def test_any_divergence_can_be_set_between_people_and_strangers(divergence):
    overall = values(asked(divergence=divergence).overall)
    assert 0 <= overall["split_half"] < overall["unrelated"] <= 1
    assert abs(overall["normalised"]) < 0.15


def test_false_matches_are_counted():
    """The model says what people say to every question: it is matched there, too."""
    both = {q.id: {**KITCHEN.raw, **GARDEN.raw, **HARBOUR.raw} for q in ASKED}
    found = asked(said=both, similarity=exact).questions[0].estimates["false_match_rate"].value
    kitchen, garden, harbour = (sum(q.raw.values()) for q in ASKED)
    assert abs(found - (garden + harbour) / 2 / (kitchen + garden + harbour)) < 0.01


def test_answers_like_none_of_peoples_are_listed_with_the_nearest():
    (found,) = asked([KITCHEN], {"kitchen": {"kettle": 3, "zzz": 5, "oven glove": 2, "": 4}}).questions
    assert [(one.answer, one.count, one.nearest) for one in found.unmatched[:2]] == [
        ("zzz", 5, ""),
        ("", 4, ""),
    ]
    assert found.model_shares[-1] > 0.5
    assert found.clusters == ("kitchen.0", "kitchen.1", "kitchen.2", "wrong")
    np.testing.assert_allclose(found.people_shares, np.array([18, 15, 7, 0]) / 40)


def test_automatic_clusters_are_named_by_their_most_frequent_answer():
    (found,) = asked([replace(KITCHEN, clusters=())]).questions
    assert {"kettle", "spoon", "oven"} <= {*found.clusters}
    assert found.clusters[-1] == "wrong"
    np.testing.assert_allclose([found.people_shares.sum(), found.model_shares.sum()], 1)


def test_several_similarities_are_a_mean_of_their_comparisons():
    """Divergences are means, with the kernel half and half; matches are those of the first similarity."""
    settings = {"clusters": "automatic", "draws": 2, "sizes": (2, 4)}
    answers = {"kitchen": GARDEN.raw | KITCHEN.raw}

    def by(*sources, kernel=False):
        means = tuple((i,) for i in range(len(sources)))
        several = Similarities(sources, (FEW.contrast,) * len(sources), means, kernel)
        return values(asked([KITCHEN], answers, exact, lambda _: several, **settings).questions[0].estimates)

    one, other, both, half = by(SIMILARITY), by(exact), by(SIMILARITY, exact), by(SIMILARITY, kernel=True)
    blurred = values(asked([KITCHEN], answers, **settings | {"clusters": "none"}).questions[0].estimates)
    for measure in ("kl", "js", "split_half"):
        assert both[measure] == pytest.approx((one[measure] + other[measure]) / 2, abs=1e-12)
        assert half[measure] == pytest.approx((one[measure] + blurred[measure]) / 2, abs=1e-12)
        assert one[measure] != pytest.approx(other[measure], abs=1e-3)
    assert both["matched"] == one["matched"]


@pytest.mark.parametrize("clusters", ["people", "none"])
def test_several_similarities_change_nothing_with_peoples_clusters_or_none(clusters):
    several = asked(clusters=clusters, several=lambda _: Similarities((exact,), (0.0,)))
    assert numbers(several) == numbers(asked(clusters=clusters))


def test_what_cannot_be_compared_is_skipped_and_few_answers_are_named():
    lonely = question("lonely", {"one": 1})
    results = asked([KITCHEN, lonely, GARDEN], {"kitchen": KITCHEN.raw, "garden": {}})
    assert [q.id for q in results.questions] == ["kitchen"]
    assert {*results.skipped} == {"lonely", "garden"}
    nothing = asked([lonely], {})
    assert (nothing.questions, nothing.overall) == ((), {})
    few = asked(said={**LIKE, "garden": {"rake": 2}}, answers=15)
    assert few.short == ("garden",)
    assert [q.answers for q in few.questions] == [15, 2, 15]
    # Half of 40 people are the most that can be compared with the other half.
    assert [q.answers for q in asked(answers=25).questions] == [20] * 3


def test_people_put_in_no_cluster_count_only_without_clusters():
    stray = replace(KITCHEN, raw={**KITCHEN.raw, "moon": 40})
    found = [asked([stray], clusters=clusters).questions[0].people for clusters in ("people", "automatic")]
    assert found == [20, 40]


@pytest.mark.parametrize("clusters", SORTS)
def test_odd_answers_are_answers(clusters):
    odd = {"": 2, "🫖": 3, "מברשת": 2, "x" * 10_000: 1}
    people = Question("odd", "Odd?", {**odd, "kettle": 4})
    similarity = cosine(char_tfidf([*odd, "kettle"]))
    results = asked([people, KITCHEN], {"odd": odd, "kitchen": odd}, similarity, clusters=clusters)
    assert all(map(math.isfinite, numbers(results)))


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """A world in which answers are drawn anew: 95 of 100 intervals should hold the mean of the figure."""
    rng = np.random.default_rng(3)
    settings = ComparisonSettings(draws=100, splits=40, repeats=4, answers=12)
    parts = [np.array([*KITCHEN.raw.values()], float), np.array([2.0, 1, 5, 9, 4, 3])]

    def world():
        people, model = (
            {a: int(c) for a, c in zip(KITCHEN.raw, rng.multinomial(n, part / part.sum()), strict=True) if c}
            for n, part in zip((60, 40), parts, strict=True)
        )
        own = [replace(one, answers=tuple(a for a in one.answers if a in people)) for one in KITCHEN.clusters]
        kept = replace(KITCHEN, raw=people, clusters=tuple(one for one in own if one.answers))
        chosen = replace(settings, seed=int(rng.integers(2**31)))
        return evaluate([kept], {"kitchen": model}, SIMILARITY, chosen).questions[0].estimates["kl"]

    figures = [world() for _ in range(60)]
    assert all(figure.interval[0] <= figure.value <= figure.interval[1] for figure in figures)
    truth = np.mean([figure.value for figure in figures])
    held = sum(low <= truth <= high for low, high in (figure.interval for figure in figures))
    assert held >= 51
    spread = np.std([figure.value for figure in figures])
    assert 0.7 < np.mean([figure.stderr for figure in figures]) / spread < 1.7


@pytest.mark.parametrize("wrong", [{"answers": 0}, {"seed": -1}])
def test_settings_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InputError):
        ComparisonSettings(**wrong)
