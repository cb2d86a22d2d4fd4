"""The one table that sums up a task, and what is said of models over several tasks."""

from __future__ import annotations

from dataclasses import replace

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import OVER_FORMS
from probsense.results.part import Part
from probsense.results.summary import profile_results, profile_summary, summary_table
from probsense.show.measure import PERCENT, Measure, Shortcut
from probsense.show.words import ACCURACY_ROW, ProfileRow, Words
from probsense.tasks.results import Results

NAMES = ("sense", "wit", "wins", "nerve", "luck", "grace")
WORDS = Words(
    title="Quiz",
    measures={name: Measure(name.capitalize(), "a share", PERCENT) for name in NAMES},
    summary=NAMES,
    beside=("people", "rule: yes"),
    baselines="rule: ",
)


def estimate(measure: str, value: float, model: str, half: float = 0.02, **further: float) -> Estimate:
    by = {"model": model}
    return replace(
        Estimate(measure, by, value, half / 2, value - half, value + half, 0.95, 90, 90, "clustered"),
        **further,
    )


def part(*estimates: Estimate, words: Words = WORDS, **results: object) -> Part:
    return Part("quiz", words, replace(Results(estimates), **results))


def test_models_come_first_and_chance_and_people_after_them():
    made = [
        estimate("sense", 0.7, "people"),
        estimate("sense", 0.5, "rule: yes"),
        estimate("sense", 0.4, "rule: no"),
        estimate("sense", 0.6, "b", chance=0.5),
        estimate("wit", 0.3, "b"),
        estimate("sense", 0.8, "a", chance=0.5),
    ]
    table = summary_table(part(*made, coverage=[{"model": "c", "asked": 9}, {"model": "a", "asked": 9}]))
    assert table.columns == ("Model", "Sense in %", "Wit in %")
    assert table.rows == (
        ("a", "80.0 (2.0)", "–"),
        ("b", "60.0 (2.0)", "30.0 (2.0)"),
        ("c", "–", "–"),
        ("Chance", "50.0", "–"),
        ("People", "70.0 (2.0)", "–"),
        ("Rule: yes", "50.0 (2.0)", "–"),
    )
    assert table.footing == 3


def test_people_may_have_by_definition_what_models_have_by_an_estimate():
    known = replace(estimate("sense", 0.7, "people"), method="by definition")
    table = summary_table(part(known, estimate("sense", 0.6, "a")))
    assert table.rows == (("a", "60.0 (2.0)"), ("People", "70.0 (2.0)"))


def test_five_measures_lead_and_fewer_where_the_console_is_narrow():
    made = [estimate(name, 0.5, "m") for name in reversed(NAMES)]
    wide, narrow, least = (summary_table(part(*made), width) for width in (100, 50, 10))
    assert wide.columns == ("Model", "Sense in %", "Wit in %", "Wins in %", "Nerve in %", "Luck in %")
    assert narrow.columns == ("Model", "Sense in %", "Wit in %", "Wins in %")
    assert least.columns == ("Model", "Sense in %")


def test_the_widest_interval_stands_and_what_is_published_only_alone():
    own = estimate("sense", 0.6, "m")
    wider = replace(own, method=OVER_FORMS, low=0.4, high=0.8)
    published = replace(own, method="published", value=0.1)
    table = summary_table(part(published, own, wider))
    assert table.rows == (("m", "60.0 (20.0)"),)
    alone = summary_table(part(published))
    assert alone.rows[0][1].startswith("10.0")


def test_without_a_leading_measure_the_first_table_stands_in():
    table = summary_table(part(estimate("other", 0.5, "m")))
    assert table.title.startswith("Other")
    assert summary_table(part()) is None


def test_a_profile_says_of_each_model_where_it_is_above_guessing():
    def task(title: str, *estimates: Estimate, **results: object) -> Part:
        words = Words(title=title, profile=(ACCURACY_ROW,), shortcut=Shortcut("counting", "what counts"))
        return part(*estimates, words=words, **results)

    def right(value: float, model: str, half: float = 0.02, **further: float) -> Estimate:
        return estimate("accuracy", value, model, half, chance=0.5, **further)

    parts = [
        task("One", right(0.8, "a"), right(0.3, "b")),
        task("Two", right(0.51, "a"), right(0.55, "b", 0.2)),
        task(
            "Three",
            right(0.7, "a", shortcut_ceiling=0.75),
            withheld={"b": "it said nothing"},
            coverage=[{"model": "b", "asked": 3}],
        ),
    ]
    a, b = profile_results(parts)
    assert (a.model, a.said) == (
        "a",
        "is above guessing in One and Three (as shortcuts are); guesses in Two.",
    )
    assert (b.model, b.said) == ("b", "is below guessing in One; cannot be told from guessing in Two.")
    assert (a.rest, b.rest) == ("", "No result in Three (it said nothing).")
    free = task("Free", estimate("accuracy", 0.6, "c"))
    assert [one.said for one in profile_results([free])] == ["stands at Free 60 % [58, 62]."]
    row = ProfileRow("accuracy", "nearness", "how near", flipped=True)
    flipped = replace(free, words=replace(free.words, profile=(row,)))
    assert [one.said for one in profile_results([flipped])] == ["stands at Free 40 % [38, 42]."]


def test_a_terminal_shows_one_table_of_a_profile():
    models = ("builtin:smollm2", "builtin:tiny", "random")
    rows = {
        "Quiz": [ProfileRow("sense", "sense", "", people=0.91), ProfileRow("luck", "luck", "", people=0.5)],
        "Riddle": [ProfileRow("wit", "wit", "")],
        "Vote": [ProfileRow("wins", "wins", "")],
    }
    found = [
        *(estimate("sense", 0.6 + i / 20, models[i], 0.123, chance=0.5) for i in range(3)),
        estimate("luck", 0.4, models[0]),
        estimate("wit", 0.3, models[0], 0.01, shortcut_ceiling=0.734),
    ]
    parts = [part(*found, words=replace(WORDS, title=title, profile=own)) for title, own in rows.items()]
    table, lines = profile_summary(parts)
    assert table.columns == ("Task", *models, "People")
    assert table.rows == (
        ("Quiz: sense", "60 [48, 72]", "65 [53, 77]", "70 [58, 82]", "91"),
        ("Quiz: luck", "40 [38, 42]", "–", "–", "50"),
        ("Riddle: wit", "30.0 [29.0, 31.0]", "–", "–", "–"),
        ("Vote: wins", "–", "–", "–", "–"),
    )
    assert lines == ["In “Quiz: sense”, guessing gets 50 %.", "In “Riddle: wit”, shortcuts reach 73.4 %."]
