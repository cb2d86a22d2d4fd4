"""Charts of frames: whole, escaped, in the colours of the page, and with everything where its value is."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import SimpleNamespace
from xml.etree.ElementTree import Element

import numpy as np
import polars as pl
import pytest

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.show.charts import task_charts
from probsense.tasks.frames.charts import CLUSTERS, NO_CLUSTER, ROWS, compared_shares
from probsense.tasks.frames.words import WORDS
from support.drawing import HOSTILE, texts, tips
from support.drawn_once import Drawn

NAN = math.nan


def distributions(frames: int = 9, clusters: int = 3) -> pl.DataFrame:
    """Model b answers as people do; the other one farther from them the later the frame comes."""
    rows = [
        (model, f"f{i}", f"Question {i} {HOSTILE}", name, share)
        for i in range(frames)
        for model in ("people", HOSTILE, "b")
        for far in [0.5 * i / frames * (model == HOSTILE)]
        for name, share in [
            *((f"c{k}", (0.9 - far) / clusters) for k in range(clusters)),
            ("none of these", 0.1 + far),
        ]
    ]
    return pl.DataFrame(rows, schema=["model", "frame", "text", "cluster", "share"], orient="row")


def forest(frames: int = 5, kinds: Sequence[str] = ("normalised",)) -> pl.DataFrame:
    rows = [
        (model, measure, frame, value, value - 0.1, value + 0.1)
        for measure in kinds
        for model in (HOSTILE, "b")
        for frame, value in [(None, 0.5), *((f"f{i}", i / frames) for i in range(frames))]
    ]
    schema = ["model", "measure", "frame", "value", "low", "high"]
    return pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)


TABLES = {"distributions": distributions(), "forest": forest()}


DRAWN = {chart.name: Drawn(chart) for chart in task_charts([], TABLES, WORDS)}


def shown(name: str, table: pl.DataFrame | None = None) -> Element:
    """Return the chart of a table as it is on a screen."""
    (drawn,) = [DRAWN[name]] if table is None else map(Drawn, task_charts([], {name: table}, WORDS))
    return drawn.roots[0]


@pytest.mark.parametrize(
    ("name", "title"), [("distributions", "Share of the answers (%)"), ("forest", "Normalised")]
)
def test_every_chart_is_fit_for_a_page_and_its_axes_have_titles(name: str, title: str) -> None:
    DRAWN[name].check()
    assert all(title in texts(root) for root in DRAWN[name].roots)


def test_distributions_side_by_side_from_the_nearest_to_the_farthest() -> None:
    root = shown("distributions")
    panels = [text for text in texts(root) if text.startswith("Question")]
    assert len(panels) == WORDS.charts["distributions"].panels
    assert panels[0].startswith("Question 0")
    assert panels[-1].startswith("Question 8")
    assert "people, c0: 30.0 %" in tips(root)


def test_many_clusters_are_put_together() -> None:
    root = shown("distributions", distributions(1, 30))
    clusters = [text for text in texts(root) if re.fullmatch(r"c\d+|\d+ others|none of these", text)]
    rest = 30 - (CLUSTERS - 2)
    assert len(clusters) == CLUSTERS
    assert clusters[-2:] == [f"{rest} others", "none of these"]
    assert f"people, {rest} others: {90 * rest / 30:.1f} %" in tips(root)


def test_the_forest_has_a_row_for_each_frame_and_a_mark_for_each_model() -> None:
    root = shown("forest")
    assert [t for t in texts(root) if re.fullmatch(r"Overall|f\d", t)] == [
        "Overall",
        *(f"f{i}" for i in range(5)),
    ]
    assert sum(": " in tip for tip in tips(root)) == 2 * 12
    assert "people" in texts(root)
    many = shown("forest", forest(200))
    assert len([t for t in texts(many) if re.fullmatch(r"f\d+", t)]) == ROWS


def test_the_forest_is_of_a_measure_that_all_models_have() -> None:
    both = forest(3, ("normalised", "kl"))
    lacking = both.filter(~((pl.col("measure") == "normalised") & (pl.col("model") == "b")))
    assert "Normalised" in texts(shown("forest", both))
    assert "KL" in texts(shown("forest", lacking))


def rows(*clusters: Cluster, raw: dict[str, int]) -> list[tuple[str, float]]:
    question = Question("q", "q", raw, clusters)
    people = np.array([*(cluster.count for cluster in clusters), 0]) / sum(raw.values())
    names = (*(cluster.id for cluster in clusters), "wrong")
    result = SimpleNamespace(id="q", clusters=names, people_shares=people, model_shares=0 * people)
    found = compared_shares("m", [question], SimpleNamespace(questions=[result]))  # type: ignore[arg-type]
    people = found.filter(pl.col("model") == "people").select("cluster", pl.col("share").round(2))
    return people.rows()


def test_a_cluster_of_people_may_be_called_wrong() -> None:
    raw = {"never": 3, "at no time": 2, "noon": 5}
    found = rows(Cluster("wrong", 5, ("never", "at no time")), Cluster("noon", 5, ("noon",)), raw=raw)
    assert found == [("never", 0.5), ("noon", 0.5), (NO_CLUSTER, 0)]


def test_clusters_that_share_their_most_frequent_answer_keep_rows_of_their_own() -> None:
    raw = {"party time": 6, "dance": 4}
    first, second, third = (
        Cluster(str(i), 5, own) for i, own in enumerate([("party time",), (*raw,), (*raw,)])
    )
    assert [name for name, _ in rows(first, second, third, raw=raw)] == [
        *("party time", "dance", "party time (2)", NO_CLUSTER)
    ]
