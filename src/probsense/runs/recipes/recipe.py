"""The recipe of a run: all that it takes to ask it once more, and what came out the first time."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.core.files import Place, read_bytes, read_json
from probsense.core.records import Json
from probsense.runs.ask.thinking import Chains
from probsense.runs.run import Run, results_digest
from probsense.runs.store.rows import DAMAGE

SCHEMA: Final = 1
EXPECTED: Final = "what 'probsense run --json' prints, a recipe, or a page of 'probsense report'"
FACTS: Final = ("id", "version", "options", "method", "seed", "model", "details", "versions")
"""What a recipe must tell of the run."""
FURTHER: Final = ("fingerprint", "files")
"""What documents of earlier versions do not tell."""
FILE: Final = re.compile(r"recipe-[0-9a-f]{8,}\.json")
"""How the files with recipes are called that a page holds."""
_BLOCK: Final = re.compile(rb'id="packed">([\w+/=]+)<')
_LARGEST: Final = 2**28
"""Bytes that the block of a page may unpack to: a page may come from anybody."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a run asked, and what came out.

    Attributes
    ----------
    task : str
    id, version, options, method, seed, fingerprint, versions, files
        As in :class:`~probsense.runs.store.store.RunRecord`.
    model : str
        The name of the model, which is its specification.
    details : Mapping
        What can change the numbers of the model: weights, prompt format, how it thinks.
    estimates : sequence of Estimate
    """

    task: str
    id: str
    version: int
    options: Mapping[str, Json]
    method: str
    seed: int
    model: str
    details: Mapping[str, Json]
    versions: Mapping[str, Json]
    fingerprint: str
    files: Mapping[str, str]
    estimates: Sequence[Estimate]

    @property
    def file(self) -> str:
        """The name of its file in a page."""
        return f"recipe-{self.id[:8]}.json"

    def to_json(self) -> dict[str, Json]:
        """Return the recipe as a JSON object, which :func:`recipes_in` reads; it has no time, so it lasts."""
        rows = [estimate.to_json() for estimate in self.estimates]
        run: dict[str, Json] = {name: getattr(self, name) for name in (*FACTS, *FURTHER)}
        return {
            "schema": SCHEMA,
            "task": self.task,
            "run": run,
            "estimates": [*rows],
            "digest": results_digest(rows),
        }


def recipe(run: Run) -> Recipe:
    """Return the recipe of a run: what it asked, of whom, with what, and what came out.

    Its ``to_json()`` is a document for ``probsense reproduce``.

    Parameters
    ----------
    run : Run

    Returns
    -------
    Recipe
    """
    run = run.original or run  # The name that the store has is the one that can be loaded.
    return _recipe(json.loads(json.dumps(run.to_json())), Place(Path(run.id)))


def recipes_in(path: Path | str) -> list[Recipe]:
    """Read the recipes of a file: a recipe, what ``probsense run --json`` printed, or a page.

    Raises
    ------
    InputError
        For a file that has none, that a newer version wrote, or whose estimates are not those that were measured.
    """
    place = Place(Path(path))
    found: list[Recipe] = []
    for document in _documents(place):
        for one in place.entries(document.get("runs", [document]), "runs", least=1):
            found.append(_recipe(place.mapping(one, "", EXPECTED), place))
    return found


def _documents(place: Place) -> Iterator[dict[str, Any]]:
    data = read_bytes(place.path)
    if not data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        yield place.mapping(read_json(place.path, expected=EXPECTED), "the document", EXPECTED)
        return
    block = _BLOCK.search(data)
    try:
        packed = base64.b64decode(block[1], validate=True) if block else b""
        text = zlib.decompressobj().decompress(packed, _LARGEST)
        files = json.loads(text)["files"] if text else {}
        known = [json.loads(text) for name, text in files.items() if FILE.fullmatch(name)]
    except (zlib.error, *DAMAGE):
        raise place.fault("a page whose data is damaged", EXPECTED) from None
    if not known:
        raise place.fault("a page without a recipe", EXPECTED)
    for one in known:
        yield place.mapping(one, "a recipe", EXPECTED)


def _estimate(row: Mapping[str, Any], place: Place) -> Estimate:
    """Read an estimate; what only a newer version tells of it is left out."""
    for name in ("measure", "method"):
        place.word(row.get(name), name)
    place.mapping(row.get("by"), "by")
    for name in ("value", "stderr", "low", "high"):
        if row.get(name) is not None:
            place.number(row[name], name)
    return Estimate.from_json({one.name: row[one.name] for one in fields(Estimate) if one.name in row})


def _recipe(document: Mapping[str, Any], place: Place) -> Recipe:
    schema = place.whole(document.get("schema", SCHEMA), "schema", 1)
    if schema > SCHEMA:
        raise place.fault(
            f"a recipe of schema {schema}; this version of ProbSense reads schema {SCHEMA}",
            "a newer ProbSense",
        )
    run, inside = place.mapping(document.get("run", {}), "run"), place.inside("run")
    lacking = [name for name in ("task", "run", "estimates") if name not in document]
    if lacking := lacking or [f"run.{name}" for name in FACTS if name not in run]:
        raise place.fault(f"{lacking[0]} is missing", EXPECTED)
    rows = [place.mapping(row, "an estimate") for row in place.entries(document["estimates"], "estimates")]
    maps = {name: inside.mapping(run[name], name) for name in ("options", "details", "versions")}
    files = inside.mapping(run.get("files") or {}, "files")
    try:
        if document.get("digest") not in (None, results_digest(rows)):
            raise place.fault("the estimates are not those of its digest: somebody changed them")
        Chains.of_run(maps["options"], maps["details"])
        return Recipe(
            place.word(document["task"], "task"),
            inside.word(run["id"], "id"),
            inside.whole(run["version"], "version"),
            method=inside.word(run["method"], "method"),
            seed=inside.whole(run["seed"], "seed", 0),
            model=inside.text(run["model"], "model"),
            fingerprint=inside.text(run.get("fingerprint", ""), "fingerprint"),
            files={path: inside.inside("files").text(known, path) for path, known in files.items()},
            estimates=[_estimate(row, place.inside("estimates", number)) for number, row in enumerate(rows)],
            **maps,
        )
    except DAMAGE:
        raise place.fault("no results of a run", EXPECTED) from None
