"""Charts of frames: which frames and clusters they show, in which order, and under which names."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl

from probsense.analysis.open_answers.questions import Cluster, Question
from probsense.show.charts import task_charts
from probsense.tasks.frames.charts import (
    CLUSTERS,
    NO_CLUSTER,
    ROWS,
    compared_shares,
    nearest_and_farthest,
    nearest_first,
)
from probsense.tasks.frames.words import WORDS
from support.drawing import CHECKS, HOSTILE, drawn, texts


def distributions(frames: int = 9, clusters: int = 3) -> pl.DataFrame:
    """The first model is farther from people the earlier the frame comes."""
    rows = [
        (model, f"f{i}", f"Question {i} {HOSTILE}", name, share)
        for i in range(frames)
        for model in ("people", HOSTILE, "b")
        for far in [0.5 * (frames - i) / frames * (model == HOSTILE)]
        for name, share in [
            *((f"c{k}", (0.9 - far) / clusters) for k in range(clusters)),
            (NO_CLUSTER, 0.1 + far),
        ]
    ]
    return pl.DataFrame(rows, schema=["model", "frame", "text", "cluster", "share"], orient="row")


def forest(frames: int, *measures: str) -> pl.DataFrame:
    rows = [
        (model, measure, frame, value, value - 0.1, value + 0.1)
        for measure in measures
        for model in (HOSTILE, "b")
        for frame, value in [(None, 0.5), *((f"f{i}", 1 - i / frames) for i in range(frames))]
    ]
    schema = ["model", "measure", "frame", "value", "low", "high"]
    return pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)


def test_every_chart_is_fit_for_a_page_and_its_axes_have_titles():
    tables = {"distributions": distributions(), "forest": forest(5, "normalised")}
    charts = {chart.name: chart for chart in task_charts([], tables, WORDS)}
    for name, title in (("distributions", "Share of the answers (%)"), ("forest", "Normalised")):
        for check in CHECKS:
            check(charts[name])
        assert all(title in texts(root) for root in drawn(charts[name]))


def test_distributions_come_from_the_nearest_to_the_farthest_and_many_clusters_are_put_together():
    found = nearest_first(distributions())
    assert [*dict.fromkeys(found["frame"])] == [f"f{i}" for i in reversed(range(9))]
    rest = 30 - (CLUSTERS - 2)
    clusters = nearest_first(distributions(1, 30))
    names = [*dict.fromkeys(clusters["cluster"])]
    assert names == [*(f"c{k}" for k in range(CLUSTERS - 2)), f"{rest} others", NO_CLUSTER]
    people = clusters.filter(pl.col("model") == "people")["share"].round(9).to_list()
    assert people == [*[0.03] * (CLUSTERS - 2), round(0.03 * rest, 9), 0.1]


def test_the_forest_has_the_nearest_and_the_farthest_by_a_measure_that_all_models_have():
    both = forest(3, "normalised", "kl")
    lacking = both.filter(~((pl.col("measure") == "normalised") & (pl.col("model") == "b")))
    assert {*nearest_and_farthest(both)["measure"]} == {"normalised"}
    assert {*nearest_and_farthest(lacking)["measure"]} == {"kl"}
    shown = [*dict.fromkeys(nearest_and_farthest(forest(200, "kl"))["frame"])]
    ends = [*range(199, 199 - ROWS // 2, -1), *reversed(range(ROWS // 2))]
    assert shown == [None, *(f"f{i}" for i in ends)]


def rows(raw: dict[str, int], *clusters: Cluster) -> list[tuple[str, float]]:
    question = Question("q", "q", raw, clusters)
    people = np.array([*(cluster.count for cluster in clusters), 0]) / sum(raw.values())
    names = (*(cluster.id for cluster in clusters), "wrong")
    result = SimpleNamespace(id="q", clusters=names, people_shares=people, model_shares=0 * people)
    found = compared_shares("m", [question], SimpleNamespace(questions=[result]))
    return found.filter(pl.col("model") == "people").select("cluster", pl.col("share").round(2)).rows()


def test_each_cluster_has_a_name_of_its_own():
    """People may call one "wrong", and several may share their most frequent answer."""
    never = Cluster("wrong", 5, ("never", "at no time"))
    noon = Cluster("noon", 5, ("noon",))
    found = rows({"never": 3, "at no time": 2, "noon": 5}, never, noon)
    assert found == [("never", 0.5), ("noon", 0.5), (NO_CLUSTER, 0)]
    raw = {"party time": 6, "dance": 4}
    alike = [Cluster(str(i), 5, own) for i, own in enumerate([("party time",), (*raw,), (*raw,)])]
    assert [name for name, _ in rows(raw, *alike)] == ["party time", "dance", "party time (2)", NO_CLUSTER]
