"""The words of judgments: every measure, method and chart is explained, and the profile has what stands for it."""

from __future__ import annotations

import math
import re
from pathlib import Path

from probsense.show.charts import kind_of, measure_charts
from probsense.show.notation import half_width, in_sentence
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.measures import BASELINE, COMPARED, PEOPLE
from probsense.tasks.judgments.words import GROUPS, MEASURES, METHODS, WORDS


def estimate(measure: str, value: float, method: str = "two-way bootstrap", **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, method)


GUIDE = Path(__file__).parents[3] / "docs" / "judgments.md"


def test_the_guide_lists_every_measure() -> None:
    section = GUIDE.read_text().split("## What is measured")[1].split("### Methods")[0]
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted([*MEASURES, *(f"{measure}_difference" for measure in COMPARED)])


def test_every_grouped_measure_has_words_and_methods_mean_what_they_mean_here() -> None:
    names = [name for group in GROUPS for name in group.measures]
    assert len(set(names)) == len(names)
    assert set(names) <= set(MEASURES)
    assert all(style.title and style.meaning for style in MEASURES.values())
    assert all(METHODS.values())
    assert "vote" in WORDS.method("published")
    assert "same weight" not in WORDS.method("published")
    assert WORDS.method("no such") == ""
    assert WORDS.method("clustered")
    assert not math.isnan(MEASURES["group_r"].bounds[0])


def test_units_and_landmarks() -> None:
    found = {
        "commonsensicality": "61.2 (2.0)",
        "group_r": "0.612 (0.020)",
        "group_p": "0.6120 (0.0200)",
        "size_effect": "61.20 (2.00)",
        "feature_difference": "61.2 (2.0)",
        "cohens_d": "0.61 (0.02)",
    }
    for name, cell in found.items():
        assert half_width(estimate(name, 0.612, model="m"), WORDS.measure(name)) == cell
    effect = in_sentence(estimate("size_effect", 0.1, model="m"), MEASURES["size_effect"])
    assert effect == "10.00 points (95 % interval 8.00 to 12.00)"
    landmarks = {name: style.landmark for name, style in MEASURES.items() if style.landmark}
    assert {name: tuple(landmark) for name, landmark in landmarks.items()} == {
        **dict.fromkeys(
            ("percentile", "percentile_pooled", "competence_percentile"), (0.5, "median of people")
        ),
        "eigenvalue_ratio": (3.0, "usual rule"),
        "win_rate": (0.5, "as good as people"),
        "share_normalised": (0.0, "people"),
        **dict.fromkeys(
            ("spread_ratio", "between_spread_ratio", "entropy_ratio", "contrast_slope"), (1.0, "as people")
        ),
        **dict.fromkeys(
            ("group_r", "group_r_pooled", "share_r", "size_effect", "feature_difference", "cohens_d"),
            (0.0, "none"),
        ),
        **dict.fromkeys(
            ("prompt_pull", "prompt_pull_p", "prompt_bias", "prompt_acquiescence"), (0.0, "none")
        ),
    }


def test_simple_rules_are_no_models_and_parts_are_not_overall() -> None:
    assert WORDS.is_model("m")
    assert WORDS.is_model(PEOPLE)
    assert not WORDS.is_model(f"{BASELINE}always yes")
    assert WORDS.is_overall(estimate("win_rate", 0.5, model="m", prompting="labels"))
    for part in ("feature", "question", "people", "of", "versus"):
        assert not WORDS.is_overall(estimate("win_rate", 0.5, model="m", **{part: "x"}))


def test_score_and_wins_stand_for_the_task_in_the_profile() -> None:
    score, wins = WORDS.profile
    assert (score.measure, score.title) == ("commonsensicality", "score")
    assert (wins.measure, wins.title, wins.people) == ("win_rate", "wins", 0.5)
    assert math.isnan(score.people)
    assert (WORDS.title, WORDS.item_group) == ("Judgments", "question")


def test_every_chart_is_found_by_its_name() -> None:
    assert list(WORDS.charts) == [
        "individuals",
        "statements",
        "shares",
        "culture",
        "share_calibration",
        "departures",
        "persona_spread",
        "persona_groups",
        "features",
        "pq",
        "components",
        "pulls",
    ]
    assert all(kind_of(name, WORDS) is kind for name, kind in WORDS.charts.items())
    assert kind_of("nothing", WORDS) is None
    found = [estimate(name, 0.5, model="m") for name in ("win_rate", "group_r_of_ceiling", "unheard_of")]
    assert [chart.name for chart in measure_charts(found, WORDS)] == ["win_rate"]
