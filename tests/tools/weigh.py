"""Weighs the project, and fails where it is heavier than the budgets of ``[tool.weigh]`` in pyproject.toml.

A line counts if it holds code: blank lines, comments and docstrings do not (tinygrad's ``sz.py`` counts so). Lower a
budget when a room has become smaller; raise one only with a line in docs/design.md that says what for.
"""

from __future__ import annotations

import sys
import token
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
NO_CODE = {
    token.COMMENT,
    token.NL,
    token.NEWLINE,
    token.INDENT,
    token.DEDENT,
    token.ENCODING,
    token.ENDMARKER,
}


def code(path: Path) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a Python file that are code; an f-string is one, as before Python 3.12."""
    depth = 0
    with path.open("rb") as file:
        for one in tokenize.tokenize(file.readline):
            kind = token.tok_name[one.type]
            depth -= kind == "FSTRING_END"
            if depth == 0 and kind != "FSTRING_END" and one.type not in NO_CODE and not _is_docstring(one):
                yield one
            depth += kind == "FSTRING_START"


def _is_docstring(one: tokenize.TokenInfo) -> bool:
    return one.type == token.STRING and one.line.lstrip().startswith(('"""', 'r"""'))


def weight(path: Path) -> tuple[int, int]:
    """Count the lines with code of a Python file, and their tokens."""
    tokens = [*code(path)]
    return len({line for one in tokens for line in range(one.start[0], one.end[0] + 1)}), len(tokens)


def figures(root: Path = ROOT) -> Iterator[tuple[str, float]]:
    """Yield every figure that has a budget, with its name."""
    for place in ("src/probsense", "tests"):
        folder, name = root / place, place.partition("/")[0]
        weights = {path.relative_to(folder): weight(path) for path in sorted(folder.rglob("*.py"))}
        lines, tokens = map(sum, zip(*weights.values(), strict=True))
        yield f"{name}-lines", lines
        yield f"{name}-files", len(weights)
        yield f"{name}-tokens-a-line", round(tokens / lines, 2)
        if name == "src":
            for room in sorted({path.parts[0] for path in weights if len(path.parts) > 1}):
                yield f"src-{room}", sum(n for path, (n, _) in weights.items() if path.parts[0] == room)
            yield "src-longest-file", max(n for n, _ in weights.values())
            yield "src-widest-folder", max(map(_width, [folder, *filter(Path.is_dir, folder.rglob("*"))]))
    yield "docs-words", sum(len(path.read_text("utf-8").split()) for path in (root / "docs").glob("*.md"))


def _width(folder: Path) -> int:
    return sum(not path.name.startswith("__") for path in folder.iterdir())


def main() -> int:
    """Print each figure beside its budget; return 1 if one is above it, or has none."""
    budgets = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["weigh"]
    above = 0
    for name, value in figures():
        over = value > budgets.get(name, 0)
        above += over
        print(f"{name:20}{value:10,g} of {budgets.get(name, 0):,g}{'  is above its budget' if over else ''}")
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main())
