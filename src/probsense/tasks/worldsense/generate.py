"""Generates test and training sets: balanced cells of tuples, with every gold label checked by the solver."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from probsense.core.digests import Digests
from probsense.core.errors import InputError
from probsense.core.files import writing
from probsense.tasks.worldsense import wording
from probsense.tasks.worldsense.difficulty import difficulty, of_tuple
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.logic import Claim, verdict, worlds
from probsense.tasks.worldsense.manifest import SKINS_FILE, TRAINING_FILE, TRIALS_FILE, write_manifest
from probsense.tasks.worldsense.matched import BUILDERS, DEEP, Level, Shape, depths_of, form_of, plans_of
from probsense.tasks.worldsense.parts import WHOLE, Part
from probsense.tasks.worldsense.problems import (
    PROBLEMS,
    STANDARD,
    TRAINING,
    Build,
    Kind,
    Problem,
    Variant,
    order_of,
)
from probsense.tasks.worldsense.skins import ParallelSkin, Skin, dump_skins, load_skins
from probsense.tasks.worldsense.telling import MIXED, SHUFFLED, TELLINGS, WORDINGS, Manner
from probsense.tasks.worldsense.trials import obfuscate

SIZES = range(3, 13)

COMPLEXITIES = range(3)
"""How many facts of a story are about three things: none, one, or all but one."""

ATTEMPTS = 1000
"""How often a tuple is drawn at most until all its questions are new to the set."""

MATCHED, PUBLISHED = REGIMES = ("matched", "published")
"""How normal problems are drawn; the first is the default."""

_TRAINING_BLOCK = 4096


@dataclass(frozen=True)
class Design:
    """The plan of a set.

    Attributes
    ----------
    seed : int
        The same seed gives identical bytes.
    sizes : tuple of int
        Numbers of entities, 3 to 12.
    problems : tuple of str
        Names of problems.
    tuples : int
        Tuples in every cell (problem x size x skin x question wording x complexity).
    skins : tuple of Skin
    regime : {"matched", "published"}
        How normal problems are drawn: so that counting does not help (:mod:`matched`), or as the published ones.
    depths : tuple of int
        Depths of inference of the normal problems; all where empty. A depth that is given is a part of the cell.
    complexities : tuple of int
        Those of the problems that come in several; all where empty.
    distractors : int
        How many sentences of a story say nothing about the order.
    telling : {"shuffled", "ordered"}
    wording : {"mixed", "one"}
    part : Part
        Draws questions of this part only (:mod:`parts`).
    """

    seed: int = 0
    sizes: tuple[int, ...] = (3, 4, 5)
    problems: tuple[str, ...] = STANDARD
    tuples: int = 1
    skins: tuple[Skin, ...] = field(default_factory=lambda: load_skins("test"))
    regime: str = MATCHED
    depths: tuple[int, ...] = ()
    complexities: tuple[int, ...] = ()
    distractors: int = 0
    telling: str = SHUFFLED
    wording: str = MIXED
    part: Part = WHOLE

    def __post_init__(self) -> None:
        for size in self.sizes:
            if size not in SIZES:
                raise InputError(f"no worlds of size {size}", expected=f"sizes {SIZES[0]} to {SIZES[-1]}")
        for name in self.problems:
            if name not in TRAINING:
                raise InputError(f"no problem {name!r}", expected=", ".join(PROBLEMS))
        for what, values in (("sizes", self.sizes), ("problems", self.problems)):
            if not values or len(set(values)) != len(values):
                raise InputError(f"{what} are empty or repeated: {', '.join(map(str, values))}")
        for what, numbers in (("depths", self.depths), ("complexities", self.complexities)):
            if len(set(numbers)) != len(numbers):
                raise InputError(f"{what} are repeated: {', '.join(map(str, numbers))}")
        if self.regime not in REGIMES:
            raise InputError(f"no regime {self.regime!r}", expected=" or ".join(REGIMES))
        if self.tuples < 1:
            raise InputError(f"{self.tuples} tuples a cell", expected="at least 1")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed {self.seed}", expected="an integer from 0 to 2**63 - 1")
        for name, problem in ((name, TRAINING[name]) for name in self.problems):
            skins = _skins_for(problem, self.skins)
            if not skins:
                kind = "of kind parallel" if problem.lines else "of kind scalar, spatial or temporal"
                raise InputError(f"no skin {kind} for {name}")
            needed = max(self.sizes) + problem.spare_names
            for skin in skins:
                if len(skin.names) < needed:
                    raise InputError(
                        f"skin {skin.name} has {len(skin.names)} names; {name} of size {max(self.sizes)} needs {needed}"
                    )
        self._check_difficulty()

    def _check_difficulty(self) -> None:
        for complexity in self.complexities:
            if complexity not in COMPLEXITIES:
                raise InputError(f"no complexity {complexity}", expected="0, 1 or 2")
        if self.telling not in TELLINGS:
            raise InputError(f"no telling {self.telling!r}", expected=" or ".join(TELLINGS))
        if self.wording not in WORDINGS:
            raise InputError(f"no wording {self.wording!r}", expected=" or ".join(WORDINGS))
        pairs = min(self.sizes) * (min(self.sizes) - 1) // 2
        if not 0 <= self.distractors <= pairs:
            raise InputError(
                f"{self.distractors} distractors in a story of {min(self.sizes)} things",
                expected=f"0 to {pairs}, one for each pair",
            )
        if self.regime == PUBLISHED and (self.depths or self.manner != Manner()):
            raise InputError(
                "depths, distractors, telling and wording cannot be chosen in the published regime",
                expected=f"the regime {MATCHED}",
            )
        deep = [name for name in self.problems if name in DEEP]
        if self.depths and not deep:
            raise InputError(
                f"depths are chosen for {', '.join(self.problems)}", expected=f"one of {', '.join(DEEP)}"
            )
        for name in deep:
            for size in self.sizes:
                self._check_depths(name, size)

    def _check_depths(self, problem: str, size: int) -> None:
        for number in self.depths:
            if number not in depths(self, problem, size):
                known = ((n, depths(self, problem, n)) for n in self.sizes)
                raise InputError(
                    f"no {problem} of size {size} and depth {number}",
                    expected="; ".join(
                        f"size {n}: {', '.join(map(str, some)) or 'none'}" for n, some in known
                    ),
                )

    @property
    def manner(self) -> Manner:
        """How stories are told."""
        return Manner(self.telling, self.wording, self.distractors)


class Cell(NamedTuple):
    """One kind of tuple; every cell of a set holds equally many.

    Its depth is None where none was chosen.
    """

    problem: str
    size: int
    skin: Skin
    qskin: str
    complexity: int
    depth: int | None = None
    manner: Manner = Manner()


def _skins_for(problem: Problem, skins: Sequence[Skin]) -> list[Skin]:
    return [skin for skin in skins if isinstance(skin, ParallelSkin) == problem.lines]


def cells(design: Design) -> list[Cell]:
    """List the cells of a design, in a fixed order."""
    return [
        Cell(name, size, skin, qskin, complexity, depth, TRAINING[name].told_in(design.manner))
        for name in design.problems
        for size in design.sizes
        for skin in _skins_for(TRAINING[name], design.skins)
        for qskin in wording.QSKINS
        for complexity in _complexities(design, name)
        for depth in _chosen_depths(design, name, size, skin, complexity)
    ]


def _complexities(design: Design, problem: str) -> tuple[int, ...]:
    """List the complexities chosen for a problem; one that comes in a single complexity has nothing to choose."""
    own = TRAINING[problem].complexities
    if len(own) == 1 or not design.complexities:
        return own
    return tuple(complexity for complexity in own if complexity in design.complexities)


def _chosen_depths(
    design: Design, problem: str, size: int, skin: Skin, complexity: int
) -> Sequence[int | None]:
    if not design.depths or problem not in DEEP:
        return [None]
    there = depths_of(problem, Shape(form_of(order_of(skin)), size, complexity, design.manner))
    return [number for number in design.depths if number in there]


def depths(design: Design, problem: str, size: int) -> tuple[int, ...]:
    """List the depths of inference that a normal problem of a size can be drawn with, in every skin of a design.

    The depth of a tuple is the least number of told facts that decide every claim of it that is not open. A depth
    counts where one of the complexities of the design has it.

    Parameters
    ----------
    design : Design
        In the matched regime. Its complexities, skins and manner of telling count; not its sizes, problems and depths.
    problem : str
        Infer.normal, Consist.normal or Compl.normal.
    size : int
    """
    forms = {form_of(order_of(skin)) for skin in _skins_for(TRAINING[problem], design.skins)}
    found = [
        {
            number
            for complexity in _complexities(design, problem)
            for number in depths_of(problem, Shape(form, size, complexity, design.manner))
        }
        for form in forms
    ]
    return tuple(sorted(set.intersection(*found)))


class Unmatched(NamedTuple):
    """Something that can be had by counting in spite of the matched regime, and where."""

    problem: str
    size: int
    complexities: tuple[int, ...]
    counts: str


_LEFT = {
    Level.NOTHING: "times named, wins and losses, what is named first",
    Level.NAMED: "wins and losses",
}


_LEFT_OF_LINES = "how often lines are called parallel and perpendicular"


def unmatched(design: Design) -> list[Unmatched]:
    """List what the siblings of normal problems cannot agree in; for the published regime, nothing is promised."""
    if design.regime == PUBLISHED:
        return []
    left: dict[tuple[str, int, str], set[int]] = {}
    for cell in cells(design):
        if isinstance(cell.skin, ParallelSkin):
            counts = _LEFT_OF_LINES
        elif cell.problem in BUILDERS:
            shape = Shape(form_of(order_of(cell.skin)), cell.size, cell.complexity, cell.manner)
            counts = _LEFT.get(plans_of(cell.problem, shape, cell.depth).level, "")
        else:
            counts = ""
        if counts:
            left.setdefault((cell.problem, cell.size, counts), set()).add(cell.complexity)
    return [
        Unmatched(problem, size, tuple(sorted(complexities)), counts)
        for (problem, size, counts), complexities in left.items()
    ]


def manifest(design: Design) -> dict[str, Any]:
    """Describe how a set is made: its design, and what its siblings do not agree in."""
    return {
        "schema": 1,
        "task": "worldsense",
        "regime": design.regime,
        "seed": design.seed,
        "sizes": [*design.sizes],
        "problems": [*design.problems],
        "tuples": design.tuples,
        "depths": [*design.depths],
        "complexities": [*design.complexities],
        "distractors": design.distractors,
        "telling": design.telling,
        "wording": design.wording,
        "part": str(design.part),
        "skins": sorted({cell.skin.name for cell in cells(design)}),
        "trials": count_trials(design),
        "unmatched": [row._asdict() for row in unmatched(design)],
    }


def count_trials(design: Design) -> int:
    """Count the trials that the design comes to."""
    return design.tuples * sum(len(TRAINING[cell.problem].answers) for cell in cells(design))


class DrawnTuple(NamedTuple):
    """One tuple: its cell, the names of its entities (a spare one last, where one is needed), its variants."""

    cell: Cell
    names: list[str]
    variants: list[Variant]


def draw_tuples(design: Design) -> Iterator[DrawnTuple]:
    """Draw the tuples of a design in shuffled order, every label checked, no question twice.

    A tuple with a question that the set has already is drawn again. Of every question, eight bytes are kept.

    Raises
    ------
    InputError
        If a cell holds more tuples than there are different ones.
    """
    kinds = cells(design)
    rng = np.random.default_rng(design.seed)
    order = rng.permutation(np.arange(len(kinds) * design.tuples, dtype=np.int32))
    draws = Draws(rng)
    seen = Digests()
    for place in order:
        yield draw_tuple(draws, kinds[place % len(kinds)], design.regime, seen, design.part)


def draw_tuple(draws: Draws, cell: Cell, regime: str, seen: Digests, part: Part = WHOLE) -> DrawnTuple:
    """Draw a tuple with questions that are new, check its labels, and add its questions to those seen.

    Raises
    ------
    InputError
        If no new question is found.
    """
    build = _builder(cell, regime)
    tried = (_draw(draws, cell, build, part, seen) for _ in range(ATTEMPTS))
    drawn = next((new for new in tried if new), None)
    if drawn is None:
        raise _too_few(cell)
    for variant in drawn.variants:
        _check(cell, TRAINING[cell.problem], variant)
    return drawn


def _builder(cell: Cell, regime: str) -> Build:
    """Return the function that draws the variants of a cell."""
    own = TRAINING[cell.problem].build
    return own if regime == PUBLISHED else BUILDERS.get(cell.problem, own)


def _too_few(cell: Cell, where: str = "") -> InputError:
    return InputError(
        f"too few different questions of {cell.problem} of size {cell.size} in skin {cell.skin.name}{where}",
        expected="fewer tuples, fewer parts, larger sizes or skins with more names",
    )


def _draw(draws: Draws, cell: Cell, build: Build, part: Part, seen: Digests) -> DrawnTuple | None:
    """Draw a tuple and add its questions to those seen; None if one of them was among these."""
    names = _draw_names(draws, cell, part)
    kind = Kind(cell.size, cell.qskin, cell.complexity, cell.manner, cell.depth)
    variants = build(draws, cell.skin, names, kind)
    texts = [
        int.from_bytes(blake2b(variant.text.encode(), digest_size=8).digest(), "big") for variant in variants
    ]
    if any(text in seen for text in texts):
        return None
    for text in texts:
        seen.add(text)
    return DrawnTuple(cell, names, variants)


def _draw_names(draws: Draws, cell: Cell, part: Part) -> list[str]:
    """Draw names, a spare one last, until those of the story are of the part."""
    for _ in range(ATTEMPTS * part.parts):
        names = draws.sample(cell.skin.names, cell.size + TRAINING[cell.problem].spare_names)
        if part.holds(cell.problem, cell.skin.name, names[: cell.size]):
            return names
    raise _too_few(cell, f" in part {part}")


def generate(design: Design) -> Iterator[list[dict[str, Any]]]:
    """Generate the tuples of a design in shuffled order, one at a time.

    Yields
    ------
    list of dict
        The trials of one tuple as records of the published format (specification 1.2), siblings adjacent.
    """
    serial = int(np.random.default_rng([design.seed, 2]).integers(2**64, dtype=np.uint64))
    for number, drawn in enumerate(draw_tuples(design)):
        hardness = _difficulty(drawn)
        records = []
        for variant in drawn.variants:
            serial += 1
            record = _record(drawn, variant, f"probsense-seed{design.seed}_{number}", _key(serial))
            records.append(record | hardness)
        yield records


def _difficulty(drawn: DrawnTuple) -> dict[str, Any]:
    """Describe how hard a tuple is, the same for all its siblings."""
    problem, size, manner = drawn.cell.problem, drawn.cell.size, drawn.cell.manner
    found = of_tuple(difficulty(problem, size, v.facts, v.claim) for v in drawn.variants)
    return {
        **found._asdict(),
        "distractors": manner.distractors,
        "telling": manner.telling,
        "wordings": manner.wording,
    }


def _key(serial: int) -> int:
    """Make a signed 64-bit key; distinct serials give distinct keys (splitmix64's finaliser is a bijection)."""
    mask = 2**64 - 1
    z = serial & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    z ^= z >> 31
    return z - 2**64 if z >= 2**63 else z


@cache
def _solve(n: int, facts: frozenset[Claim], claim: Claim | None, lines: bool) -> str:
    possible = worlds(n, facts, lines)
    if claim is None:
        return "POSSIBLE" if possible else "IMPOSSIBLE"
    return verdict(possible, claim)


def _check(cell: Cell, problem: Problem, variant: Variant) -> None:
    """Refuse a variant whose gold differs from that of the solver."""
    n = cell.size + problem.spare_names
    facts = frozenset(variant.facts)
    if problem.answers[0] == "POSSIBLE":
        answer = _solve(n, facts, None, False)
    else:
        decided = _solve(n, facts, variant.claim, problem.lines)
        table = dict(zip(("yes", "no", "undecided"), problem.answers, strict=False))
        answer = table.get(decided, decided)
    if answer != variant.gold:
        raise RuntimeError(
            f"a {cell.problem} tuple of skin {cell.skin.name} got gold {variant.gold}, not {answer}"
        )


def _record(drawn: DrawnTuple, variant: Variant, tuple_id: str, key: int) -> dict[str, Any]:
    cell = drawn.cell
    return {
        "Key": key,
        "problemname": cell.problem,
        "tuple_ID": tuple_id,
        "text": variant.text,
        "expectedresp": list(TRAINING[cell.problem].answers),
        "span": variant.span,
        "descr": f"[{','.join(_repr(fact, cell.size) for fact in variant.facts)}]",
        "query": _repr(variant.claim, cell.size),
        "objects": drawn.names[: cell.size],
        "problemsize": cell.size,
        "skin": cell.skin.name,
        "qskin": cell.qskin,
        "complexity": f"Complexity_{cell.complexity}",
        "query_len": max(2, len(variant.claim.args)),
        "goldresp_obfusc": obfuscate(variant.gold),
    }


@cache
def _repr(claim: Claim, size: int) -> str:
    relation, args = claim
    if relation in ("first", "last"):
        return repr((args[0], relation == "first"))
    numbers = tuple(-1 if i == size else i for i in args)
    return f"i{numbers}" if relation == "foreign" else repr(numbers)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write_testset(folder: Path, design: Design, progress: Callable[[int], None] = lambda n: None) -> int:
    """Write ``trials.jsonl.bz2`` in the published format, with its manifest and its skins, which an audit reads.

    Parameters
    ----------
    folder : Path
        Made if missing. A set that is already there is an error: it may have results.
    design : Design
    progress : callable
        Called with the number of trials written since the last call.

    Returns
    -------
    int
        The number of trials.
    """
    path = folder / TRIALS_FILE
    _refuse_existing(path)
    told = {cell.skin.name for cell in cells(design)}
    used = [skin for skin in design.skins if skin.name in told]
    with writing(folder / SKINS_FILE) as stream:
        stream.write(dump_skins(used).encode())
    with writing(path) as stream:
        written = _write(stream, (map(_line, records) for records in generate(design)), progress)
    write_manifest(folder, manifest(design), (TRIALS_FILE, SKINS_FILE))
    return written


def write_training(folder: Path, design: Design, progress: Callable[[int], None] = lambda n: None) -> int:
    """Write ``training.jsonl.bz2`` in the published format of training sets (specification 6).

    Siblings do not stay together: trials are shuffled within blocks of 4,096.
    """
    path = folder / TRAINING_FILE
    _refuse_existing(path)
    with writing(path) as stream:
        written = _write(stream, map(_training_lines, training_blocks(design)), progress)
    write_manifest(folder, manifest(design), (TRAINING_FILE,))
    return written


def training_blocks(design: Design) -> Iterator[list[tuple[str, str]]]:
    """Yield shuffled blocks of (text, gold) pairs."""
    rng = np.random.default_rng([design.seed, 1])
    block: list[tuple[str, str]] = []
    for drawn in draw_tuples(design):
        block += [(variant.text, variant.gold) for variant in drawn.variants]
        if len(block) >= _TRAINING_BLOCK:
            rng.shuffle(block)
            yield block
            block = []
    rng.shuffle(block)
    yield block


def _training_lines(block: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    for text, gold in block:
        message = {"role": "user", "content": text}
        yield _line({"dialog_history": {"messages": [message]}, "target_message": gold})


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise InputError(
            "a data set is already there", path=path, expected="a new folder, or remove it first"
        )


def _write(stream: IO[bytes], groups: Iterator[Iterator[bytes]], progress: Callable[[int], None]) -> int:
    compressor = bz2.BZ2Compressor(1)  # Higher levels cost a third more time for a set half the size.
    total = 0
    for group in groups:
        lines = list(group)
        stream.write(compressor.compress(b"".join(lines)))
        total += len(lines)
        progress(len(lines))
    stream.write(compressor.flush())
    return total
