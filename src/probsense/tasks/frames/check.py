"""Says what was understood of a file of frames, and shows some of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from probsense.show.text import counted
from probsense.tasks.frames.questions.frames import Frame
from probsense.tasks.frames.questions.read import frames_of
from probsense.tasks.shared.understood import SHOWN, Understood, run_command

ANSWERS: Final = 5
"""How many of people's answers are shown."""


def check_data(file: Path, *, columns: str | Sequence[str] = ()) -> Understood:
    """Read a file of frames, and say what was understood.

    Parameters
    ----------
    file : Path
        File of frames: JSON lines, or a table of people's answers.
    columns : str or sequence of str
        As for :func:`probsense.tasks.frames.recorded.analyse`.
    """
    frames, said, dropped, _ = frames_of(Path(file), columns)
    people = [frame.people for frame in frames]
    answers = sum(sum(one.raw.values()) for one in people)
    different, silent = sum(len(one.raw) for one in people), sum(not one.raw for one in people)
    clustered, made_up = sum(bool(one.clusters) for one in people), sum(one.illustrative for one in people)
    notes = [
        *(["frames without answers of people are asked, and compared with nothing"] if silent else []),
        *([f"nobody gave the answers to {counted(made_up, 'frame')}, as the file says"] if made_up else []),
    ]
    return Understood(
        f"{counted(len(frames), 'frame')} with {counted(answers, 'answer')} of people, {different:,} different;"
        f" {counted(silent, 'frame')} without answers, {clustered:,} with clusters",
        {
            "frames": len(frames),
            "answers": answers,
            "different": different,
            "without_answers": silent,
            "with_clusters": clustered,
            "illustrative": made_up,
        },
        said,
        [(frame.id, _shown(frame)) for frame in frames[:SHOWN]],
        run_command("frames", data=file, columns=columns or None),
        dropped=dropped,
        notes=notes,
    )


def _shown(frame: Frame) -> str:
    """Show the text of a frame, and the answers that most people gave."""
    counts = sorted(frame.people.raw.items(), key=lambda pair: -pair[1])
    more = [f"{len(counts) - ANSWERS:,} more"] if len(counts) > ANSWERS else []
    answers = ", ".join([*(f"{answer} ({count:,})" for answer, count in counts[:ANSWERS]), *more])
    return f"{frame.text}\n{answers or 'no answers of people'}"
