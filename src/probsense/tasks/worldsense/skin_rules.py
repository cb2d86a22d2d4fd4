"""What the templates and names of a skin must keep, so that every story can be told, and read back in one way."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

PLACEHOLDERS = {
    "scene": "n",
    "list": "",
    "forward": "ab",
    "converse": "ab",
    "between": "abm",
    "outside": "abm",
    "first": "a",
    "last": "a",
    "foreign": "ab",
    "parallel": "ab",
    "perpendicular": "ab",
}
"""The placeholders that each template holds, each exactly once."""


def check_templates(templates: Iterable[tuple[str, str]]) -> None:
    """Raise a ValueError about the first template that breaks a rule; each comes after the name of its field."""
    seen: dict[str, str] = {}
    for field, template in templates:
        _check_template(field, template)
        if template in seen:
            raise ValueError(f"{field} and {seen[template]} are the same: {template!r}")
        seen[template] = field


def check_names(names: Sequence[str], templates: Iterable[tuple[str, str]]) -> None:
    """Raise a ValueError about the first name that breaks a rule, or that stands in a template."""
    for name in names:
        if not name or set(name) & set(',:"\n{}()') or " and " in f" {name} ":
            raise ValueError(f"the name {name!r} is empty or holds punctuation or the word 'and'")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"the name {repeated[0]!r} stands twice")
    for a, b in permutations(names, 2):
        if a in b:
            raise ValueError(f"the name {a!r} is part of the name {b!r}")
    for field, template in templates:
        for name in names:
            if name in template:
                raise ValueError(f"the name {name!r} occurs in {field}: {template!r}")


def _check_template(field: str, template: str) -> None:
    try:
        found = sorted(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
    except ValueError as error:
        raise ValueError(f"{field} is no template ({error}): {template!r}") from None
    wanted = sorted(PLACEHOLDERS[field])
    if found != wanted:
        holds = ", ".join(f"{{{name}}}" for name in wanted) or "no placeholder"
        raise ValueError(f"{field} must hold {holds}, each once: {template!r}")
    if field in ("scene", "list"):
        if set(template) & set('"\n:'):
            raise ValueError(f"{field} holds a quote, colon or line break: {template!r}")
    elif set(template) & set(',:"\n()') or template.count(" and ") != (field in ("between", "outside")):
        raise ValueError(
            f"{field} must be a plain clause without punctuation, with 'and' only between {{a}} and {{b}}: {template!r}"
        )
