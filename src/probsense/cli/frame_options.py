"""The options of ``run frames`` and ``analyse frames``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PANEL = "frames"

Shots = Annotated[
    int,
    typer.Option(
        "--shots", help="Examples before the question, frames of the package.", rich_help_panel=PANEL
    ),
]
Style = Annotated[
    str,
    typer.Option(
        "--style",
        help="How a frame is put: published ([Q]: … [A]:), or chat (an instruction).",
        rich_help_panel=PANEL,
    ),
]
Temperature = Annotated[
    float, typer.Option("--temperature", help="Of the texts that are sampled.", rich_help_panel=PANEL)
]
TopP = Annotated[
    float,
    typer.Option(
        "--top-p", help="Nucleus of the texts: the most probable tokens of so much.", rich_help_panel=PANEL
    ),
]
Texts = Annotated[
    int, typer.Option("--answers", help="Texts that are sampled for each frame.", rich_help_panel=PANEL)
]
Similarity = Annotated[
    str | None,
    typer.Option(
        "--similarity",
        help="What says which answers mean the same: cosine, wordnet, wup, exact, substring, subsequence; several "
        "joined by + for the highest; gaussian for --method published. By default cosine, as published wordnet.",
        rich_help_panel=PANEL,
    ),
]
Embeddings = Annotated[
    str,
    typer.Option(
        "--embeddings",
        help="Vectors of answers: chars (built in), st:MODEL (sentence-transformers), m2v:MODEL (model2vec), or "
        "FILE.json.",
        rich_help_panel=PANEL,
    ),
]
Targets = Annotated[
    Path | None,
    typer.Option(
        "--targets",
        help="Questions with people's answers (JSON lines).",
        metavar="FILE",
        rich_help_panel=PANEL,
    ),
]
Predictions = Annotated[
    list[Path] | None,
    typer.Option(
        "--predictions",
        help="A model's answers, as published or as --write-results writes them; a file for each model.",
        metavar="FILE…",
        rich_help_panel=PANEL,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="default, or published: ProbEval and ProtoQA's measures, quirks and all.",
        rich_help_panel=PANEL,
    ),
]
Clusters = Annotated[
    str,
    typer.Option(
        "--clusters",
        help="people (where there are), automatic or none; people, hac, gmeans or xmeans for --method published.",
        rich_help_panel=PANEL,
    ),
]
Divergence = Annotated[
    str | None,
    typer.Option(
        "--divergence",
        help="What is normalised: kl, js, total_variation, hellinger or emd.",
        rich_help_panel=PANEL,
    ),
]
Compared = Annotated[
    int | None,
    typer.Option(
        "--answers", help="Number of answers at which everything is compared.", rich_help_panel=PANEL
    ),
]
