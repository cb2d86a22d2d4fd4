"""Builds the site: ``ps.site``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError
from probsense.core.names import slugs
from probsense.core.records import Json, digest
from probsense.models.base import ARCHITECTURE
from probsense.results.site.boards import Board, boards, most_differing
from probsense.results.site.data import csv_bytes, index_json, parquet_bytes, site_tables
from probsense.results.site.folder import SiteFile, check_site, write_files
from probsense.results.site.models import (
    Description,
    SiteModel,
    check_labels,
    described,
    read_descriptions,
    recorded,
    unused,
)
from probsense.results.site.pages import (
    SITE,
    Frame,
    board_page,
    board_title,
    data_page,
    index_page,
    items_page,
    methods_page,
)
from probsense.results.site.profiles import model_page
from probsense.results.site.reading import SiteRun, read_runs
from probsense.runs.ask.progress import Progress
from probsense.show.render import can_draw
from probsense.show.text import counted, plain
from probsense.show.works import Work

TITLE: Final = "Common sense of language models"
YEAR: Final = 2026


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did.

    Attributes
    ----------
    models, runs : int
    written, kept, removed : int
        Numbers of files.
    notes : tuple of str
        What the user should know: runs that are left out, described models without a run.
    """

    models: int
    runs: int
    written: int
    kept: int
    removed: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{counted(self.models, 'model')}, {counted(self.runs, 'run')}; {self.written:,} files written,"
            f" {self.kept:,} unchanged, {self.removed:,} removed"
        )


def site(
    *stores: Path | str,
    out: Path | str,
    title: str = TITLE,
    author: str = "",
    description: str = "",
    task: str | None = None,
    models: Path | str | None = None,
    charts: bool = False,
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
) -> Built:
    """Build a static site of all runs of some stores, or bring it up to date.

    Parameters
    ----------
    *stores : Path or str
        Files of stores; by default, ``probsense.db``.
    out : Path or str
        Folder of the site: a new one, an empty one, or that of a site.
    title, author, description : str
        For the pages.
    task : str, optional
        Take the runs of this task only.
    models : Path or str, optional
        YAML file that gives models their families, sizes, labels and links
        (:func:`~probsense.results.site.models.read_descriptions`).
    charts : bool
        Whether the page of a model has all charts of its report, too. They take some seconds a model.
    jobs : int
        How many processes measure runs that no site showed before. A script that asks for several needs
        ``if __name__ == "__main__":`` around what it does, since every process reads the script.
    progress : callable
        Is told the number of runs read, and of all runs.

    Returns
    -------
    Built

    Raises
    ------
    InputError
        For a missing store, a folder that has something else in it, stores without runs, a wrong description, or fewer
        jobs than one.
    """
    if jobs < 1:
        raise InputError(f"jobs {jobs}", expected="at least 1")
    folder = Path(out)
    check_site(folder)
    given = {} if models is None else read_descriptions(Path(models))
    runs, left_out = read_runs(
        [Path(store) for store in stores or ("probsense.db",)], task, jobs=jobs, progress=progress
    )
    found = _models(runs, given)
    check_labels({model.name: model.shown for model in found})
    files = site_files(Frame(plain(title), plain(author)), plain(description), found, left_out, charts=charts)
    written = write_files(folder, files)
    return Built(
        len(found),
        len(runs),
        written.written,
        written.kept,
        written.removed,
        (*left_out, *unused(given, [model.name for model in found])),
    )


def _models(runs: Sequence[SiteRun], given: dict[str, Description]) -> list[SiteModel]:
    """Put the runs of each model together, in the order in which models first ran."""
    by_model: dict[str, list[SiteRun]] = {}
    for run in runs:
        by_model.setdefault(run.model, []).append(run)
    found = []
    for name, slug in zip(by_model, slugs((name, name) for name in by_model), strict=True):
        own = by_model[name]
        known = described(recorded(_said_of(own)), given.get(name))
        found.append(SiteModel(slug, name, known.label or name, known, own))
    return found


def _said_of(runs: Sequence[SiteRun]) -> Iterator[Mapping[str, Json]]:
    """Yield what runs recorded of their model: first what its examination found of the network, then the details."""
    for run in runs:
        yield from (finding.data for finding in run.findings if finding.name == ARCHITECTURE)
    for run in runs:
        yield run.record.details


def site_files(
    frame: Frame,
    description: str,
    models: Sequence[SiteModel],
    left_out: Sequence[str],
    *,
    charts: bool = False,
) -> list[SiteFile]:
    """List the files of a site, with what each is made from; those that link to others come last."""
    made = boards(run for model in models for run in model.runs)
    base = [SITE.key, version("probsense"), frame.title, frame.author]
    differing = {board.slug: most_differing([row.run for row in board.rows]) for board in made}
    tables = site_tables(models, made, lambda board: differing[board.slug])
    with_items = [slug for slug, found in differing.items() if found]
    everything = [*base, *(_of_model(model) for model in models), [board.slug for board in made]]

    def rendered(path: str, text: str) -> SiteFile:
        content = text.encode(errors="replace")
        return SiteFile(path, sha256(content).hexdigest(), lambda: content)

    files = [
        SiteFile(
            f"recipes/recipe-{run.record.id[:8]}.json",
            run.key,
            partial(run.contribution.recipe.encode, errors="replace"),
        )
        for model in models
        for run in model.runs
        if run.contribution
    ]
    files += [
        SiteFile(
            f"models/{model.slug}.html",
            digest([*base, charts and can_draw(), _of_model(model), _boards_of(model, made)]),
            partial(_text, model_page, frame, model, made, charts=charts),
        )
        for model in models
    ]
    for board in made:
        title = board_title(board, made)
        unlike = [[one.slug, board_title(one, made)] for one in made if one.task == board.task]
        ranked = {row.run.record.id for row in board.rows}
        about = [_of_model(model) for model in models if ranked & {run.record.id for run in model.runs}]
        key = digest([*base, title, unlike, about])
        if board.slug in with_items:
            page = partial(_text, items_page, frame, board, title, models, differing[board.slug])
            files.append(SiteFile(f"tasks/{board.slug}-items.html", key, page))
        page = partial(_text, board_page, frame, board, made, models, board.slug in with_items)
        files.append(SiteFile(f"tasks/{board.slug}.html", key, page))
    for table in tables:
        key = digest([*everything, table.stem])
        files.append(SiteFile(f"data/{table.stem}.csv", key, partial(csv_bytes, table)))
        files.append(SiteFile(f"data/{table.stem}.parquet", key, partial(parquet_bytes, table)))
    listed = [(table.stem, table.title, table.meaning, table.columns) for table in tables]
    index = index_json(frame, description, models, made, tables, with_items)
    return [
        *files,
        rendered("data.html", data_page(frame, listed)),
        rendered("methods.html", methods_page(frame, made, _software())),
        SiteFile("index.json", sha256(index).hexdigest(), lambda: index),
        rendered("index.html", index_page(frame, description, made, models, left_out)),
    ]


def _of_model(model: SiteModel) -> Json:
    """Return what the pages tell of a model and its runs, as keys."""
    known: list[Json] = [model.slug, model.shown, *map(str, astuple(model.description))]
    return [*known, *(run.key for run in model.runs)]


def _boards_of(model: SiteModel, made: Sequence[Board]) -> list[Json]:
    """Return where the runs of a model stand, so that its page links there."""
    ids = {run.record.id for run in model.runs}
    return [board.slug for board in made for row in board.rows if row.run.record.id in ids]


def _text(page: Callable[..., str], *given: object, **options: object) -> bytes:
    return page(*given, **options).encode(errors="replace")


def _software() -> Work:
    """Return what to cite for this program."""
    return Work("software", ("The ProbSense authors",), f"ProbSense, version {version('probsense')}", YEAR)
