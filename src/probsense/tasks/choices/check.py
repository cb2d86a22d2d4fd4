"""Says what was understood of a file of questions, and shows some of them as a model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probsense.core.records import Item, Json
from probsense.show.text import counted
from probsense.tasks.choices.measures.results import people_notes, people_warnings
from probsense.tasks.choices.questions.prompts import LETTERS, Stance, lettered_prompt, open_prompt, system
from probsense.tasks.choices.questions.question import ReaderName, item_of, several
from probsense.tasks.choices.questions.read import read_questions
from probsense.tasks.shared.understood import SHOWN, Understood, run_command


def check_data(
    file: Path,
    *,
    reader: ReaderName = "table",
    group: str | Sequence[str] = (),
    group_form: Stance = "as",
    drop: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
) -> Understood:
    """Read a file of questions, and say what was understood.

    Parameters
    ----------
    file : Path
        A file of questions with people's answers, or a folder of such files.
    reader : {"table", "chaosnli", "alignment", "simbench"}
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group_form : {"as", "about", "none"}
        Ask the model to answer as one of the group, ask it how the group would answer, or say nothing of the group.
    drop : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    columns : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    """
    path = Path(file)
    read = read_questions(path, reader, groups=group, drop=drop, columns=columns)
    items = [item_of(one) for one in read.questions]
    counts = _counts(items)
    least, most = counts["options_least"], counts["options_most"]
    groups = [*dict.fromkeys(str(item.data["group"]) for item in items if item.data["group"])]
    told = {"a right option": "with_gold", "a scale": "scales", "known raters": "with_raters"}
    known = [f"{counts[key]:,} with {name}" for name, key in told.items() if counts[key]]
    more = [f"groups of people: {', '.join(groups[:8])}{' …' if len(groups) > 8 else ''}"] if groups else []
    places = dict.fromkeys([0, len(items) // 2, len(items) - 1][:SHOWN])
    return Understood(
        f"{counted(len(items), 'question')}, {least if least == most else f'{least} to {most}'} options each",
        counts,
        read.said,
        [(items[place].id, _shown(items[place], group_form)) for place in places],
        run_command(
            "choices",
            data=file,
            reader=None if reader == "table" else reader,
            group=group,
            drop=drop,
            columns=columns,
            group_form=None if group_form == "as" else group_form,
            method="options",  # The small model of the package answers with no letters.
        ),
        dropped=read.dropped,
        notes=people_notes(items, drop=several(drop)),
        warnings=people_warnings(items),
        more=[*more, *([", ".join(known)] if known else [])],
    )


def _counts(items: Sequence[Item]) -> dict[str, Json]:
    options = [len(item.data["options"]) for item in items]
    return {
        "questions": len({(item.data["data"], item.cluster) for item in items}),
        "items": len(items),
        "options_least": min(options),
        "options_most": max(options),
        "groups": [*dict.fromkeys(item.data["group"] for item in items if item.data["group"])],
        "data": [*dict.fromkeys(item.data["data"] for item in items if item.data["data"])],
        "with_gold": sum(bool(item.gold) for item in items),
        "scales": sum(bool(item.data["order"]) for item in items),
        "with_raters": sum(bool(item.data["raters"]) for item in items),
    }


def _shown(item: Item, stance: Stance) -> str:
    """Show what a model sees: what stands before the prompt in brackets, and the prompt.

    It asks as a run does: by letters, or without where there are not enough of them.
    """
    count, opening = len(item.data["options"]), system(item, stance)
    lettered = count <= len(LETTERS)
    prompt = lettered_prompt(item, (*range(count),), stance) if lettered else open_prompt(item, stance)
    return f"[{opening}]\n{prompt}" if opening else prompt
