"""The commands of WorldSense's own: they generate test and training sets, and audit gold labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from probsense.records import Json
from probsense.tasks.worldsense.audit import Audit, audit_folder
from probsense.tasks.worldsense.generate import Design, count_trials, write_testset, write_training
from probsense.tasks.worldsense.problems import STANDARD, named_problems
from probsense.tasks.worldsense.shortcut_audit import audit_shortcuts
from probsense.tasks.worldsense.shortcuts import ShortcutAudit
from probsense.tasks.worldsense.skins import load_skins


@dataclass(frozen=True, slots=True)
class Generated:
    """The outcome of a generation: the number of trials, and the folder that holds them."""

    trials: int
    folder: str

    def __str__(self) -> str:
        return f"{self.trials:,} trials, every gold label checked by the solver, are in {self.folder}"

    def to_json(self) -> dict[str, Json]:
        """Return what ``probsense generate --json`` prints."""
        return {"schema": 1, **asdict(self)}


def generate(
    folder: Path,
    *,
    seed: int = 0,
    sizes: Sequence[int] = (3, 4, 5),
    problems: Sequence[str] = ("standard",),
    tuples: int = 1,
    skins: str | None = None,
    training: bool = False,
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
        Numbers of entities, 3 to 8.
    problems : sequence of str
        Names such as Infer.normal, or standard (six), or all (with extrema and parallel).
    tuples : int
        Tuples a cell (problem x size x skin x wording x complexity).
    skins : str, optional
        Skins to tell the questions in: test, train, parallel or a YAML file; by default test, or train for training.
    training : bool
        Write a training set (training.jsonl.bz2).
    progress : callable
        Called with the number of trials written and the number of all.
    """
    chosen = named_problems(problems)
    if training and chosen == STANDARD:
        chosen = (*STANDARD, "Infer.ordered")
    kind = "train" if training else "test"
    design = Design(seed, tuple(sizes), chosen, tuples, load_skins(skins or kind))
    total, done = count_trials(design), 0

    def count(n: int) -> None:
        nonlocal done
        done += n
        progress(done, total)

    write = write_training if training else write_testset
    return Generated(write(folder, design, count), str(folder))


def audit(folder: Path, *, shortcuts: bool = False) -> Audit | ShortcutAudit:
    """Recompute every gold label from the question's text alone, by enumerating all worlds.

    Parameters
    ----------
    folder : Path
        A test set in the published format.
    shortcuts : bool
        Show instead what is reached, for each problem and size, by responders that count and build no order.
    """
    return audit_shortcuts(folder) if shortcuts else audit_folder(folder)
