"""The auditor's corrections of a test set, kept for the next time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from probsense.core.records import digest
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.cache import cached_frame
from probsense.tasks.worldsense.manifest import SKINS_FILE
from probsense.tasks.worldsense.trials import find_trials

VERSION = 2
"""This number rises whenever the auditor may find something else in the same file."""

_SCHEMA = {"key": pl.Int64, "corrected": pl.String}


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrected gold labels by key, and the number of trials that the auditor could not read."""

    labels: dict[int, str]
    unread: int

    def notes(self) -> list[str]:
        """Tell the reader of corrected figures how far they go."""
        if not self.unread:
            return []
        return [f"the auditor does not understand {self.unread:,} trials; they keep their published labels"]


def corrections(folder: Path, *, cache: bool = True) -> Corrections:
    """Audit a test set, or recall the findings of an earlier audit of the same file.

    Parameters
    ----------
    folder : Path
        A test set in the published format.
    cache : bool
        Whether an earlier audit may be recalled and this one kept.
    """

    def compute() -> pl.DataFrame:
        found = audit_folder(folder)
        rows: list[tuple[int, str | None]] = [(wrong.key, wrong.corrected) for wrong in found.wrong]
        rows += [(remark.key, None) for remark in found.unparsed]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")

    skins = folder / SKINS_FILE
    told = digest(skins.read_text("utf-8", "replace"))[:8] if skins.is_file() else "packaged"
    frame = (
        cached_frame(find_trials(folder), f"worldsense-audit-{VERSION}-{told}", compute)
        if cache
        else compute()
    )
    labels = {key: label for key, label in frame.iter_rows() if label}
    return Corrections(labels, frame["corrected"].null_count())
