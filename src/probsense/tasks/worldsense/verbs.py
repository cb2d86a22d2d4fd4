"""The commands of WorldSense's own: they generate test and training sets, and audit gold labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from probsense.core.files import check_folder
from probsense.core.records import Json
from probsense.tasks.worldsense.audit import Audit, audit_folder
from probsense.tasks.worldsense.generate import MATCHED, USUAL_SIZES
from probsense.tasks.worldsense.generate.files import Unmatched, unmatched, write_testset, write_training
from probsense.tasks.worldsense.generate.sets import named_design
from probsense.tasks.worldsense.measures.shortcuts import FOLDS, TABLES, Shortcut, shortcuts, understood
from probsense.tasks.worldsense.questions.format import aligned
from probsense.tasks.worldsense.questions.trials import load_trials


@dataclass(frozen=True, slots=True)
class Generated:
    """The outcome of a generation.

    Attributes
    ----------
    trials : int
    folder : str
        Holds them.
    regime : str
        How normal problems were drawn.
    unmatched : tuple of Unmatched
        What can be had by counting in spite of the matched regime, and where.
    remarks : tuple of str
        Words in the user's own skins that could not be checked.
    """

    trials: int
    folder: str
    regime: str
    unmatched: tuple[Unmatched, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.trials:,} trials, every gold label checked by the solver, are in {self.folder}"]
        if self.unmatched:
            lines.append("siblings cannot be matched, and counting helps, in:")
        lines += [f"  {row}" for row in self.unmatched]
        return "\n".join([*lines, *self.remarks])

    def to_json(self) -> dict[str, Any]:
        """Return what ``probsense generate --json`` prints."""
        return {"schema": 1, **asdict(self)}


@dataclass(frozen=True, slots=True)
class ShortcutAudit:
    """The shortcuts of a set.

    Attributes
    ----------
    trials, parsed : int
        Numbers of all trials, and of those in tuples whose texts the parser all understood.
    cells : tuple of Shortcut
    """

    trials: int
    parsed: int
    cells: tuple[Shortcut, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``probsense audit --shortcuts --json`` prints."""
        cells: Json = [cell.to_json() for cell in self.cells]
        return {"schema": 1, "trials": self.trials, "parsed": self.parsed, "folds": FOLDS, "cells": cells}

    def __str__(self) -> str:
        head = ["problem", "size", *TABLES, "ceiling"]
        rows = [
            [
                cell.problem,
                str(cell.size),
                *(f"{cell.reached[name].value:.3f}" for name in TABLES),
                f"{cell.ceiling.value:.3f} ± {cell.ceiling.stderr:.3f}",
            ]
            for cell in self.cells
        ]
        what = (
            f"{self.trials:,} trials, {self.parsed:,} in tuples that are understood. Accuracy of responders that build "
            f"no order (tables by cross-validation in {FOLDS} folds of tuples; ± one standard error):"
        )
        return "\n".join([what, "", *aligned([head, *rows])])


def generate(
    folder: Path,
    *,
    seed: int = 0,
    sizes: Sequence[int] = USUAL_SIZES,
    problems: Sequence[str] = ("standard",),
    tuples: int = 1,
    skins: str | None = None,
    training: bool = False,
    regime: str = MATCHED,
    depths: Sequence[int] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Generated:
    """Generate questions whose gold labels have all passed the solver, in the published file format.

    Parameters
    ----------
    folder : Path
        Where to write; made if missing.
    seed : int
        Seed of every draw; the same seed gives identical bytes.
    sizes : sequence of int
        Numbers of entities, 3 to 12; by default 4 to 6. With three, counting answers the normal problems.
    problems : sequence of str
        Names such as Infer.normal, or standard (six), or all (with extrema and parallel); in training sets, both have
        Infer.ordered, too.
    tuples : int
        Tuples a cell (problem x size x skin x wording x complexity).
    skins : str, optional
        Skins to tell the questions in: test, many (about a hundred), train, parallel or a YAML file; by default test,
        or train for training.
    training : bool
        Write a training set (training.jsonl.bz2).
    regime : str
        How normal problems are drawn: matched, so that counting how often things are named, win and lose does not
        answer them; or published, as in the published sets.
    depths : sequence of int
        Depths of inference of the normal problems, each a cell of its own: how many told facts an answer takes at
        least; by default whatever is drawn.
    progress : callable
        Called with the number of trials written and the number of all.
    """
    check_folder(folder)
    chosen = {"sizes": tuple(sizes), "tuples": tuples, "regime": regime, "depths": tuple(depths)}
    skins = skins or ("train" if training else "test")
    design, remarks = named_design(problems, skins, training=training, seed=seed, **chosen)
    write = write_training if training else write_testset
    written = write(folder, design, progress)
    return Generated(written, str(folder), regime, tuple(unmatched(design)), remarks)


def audit_shortcuts(folder: Path) -> ShortcutAudit:
    """Find the shortcuts of a test-set folder in the published layout.

    Raises
    ------
    InputError
        As from :func:`read_trials`.
    """
    asked = understood(folder)
    return ShortcutAudit(load_trials(folder).height, len(asked), tuple(shortcuts(asked)))


def audit(folder: Path, *, shortcuts: bool = False) -> Audit | ShortcutAudit:
    """Recompute every gold label from the question's text alone, by all worlds that fit it.

    Parameters
    ----------
    folder : Path
        A test set in the published format.
    shortcuts : bool
        Show instead what is reached, for each problem and size, by responders that count and build no order.
    """
    return audit_shortcuts(folder) if shortcuts else audit_folder(folder)


VERBS: Final[Mapping[str, Callable[..., object]]] = {"generate": generate, "audit": audit}
"""Commands by their names."""
