"""``probsense audit``: recompute every gold label with an independent solver."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, check_task, print_json


def audit(
    task: Annotated[str, typer.Argument(help="worldsense")],
    folder: Annotated[Path, typer.Argument(help="A test set in the published format.")],
    json: JsonFlag = False,
) -> None:
    """Recompute every gold label from the question's text alone, by enumerating all worlds."""
    check_task(task, having="an auditor")
    from probsense.tasks.worldsense.audit import audit_folder

    found = audit_folder(folder)
    if json:
        print_json(found.to_json())
        return
    print(
        f"{found.trials:,} trials, {found.parsed:,} understood, {len(found.wrong):,} with a wrong gold label"
    )
    for wrong in found.wrong:
        print(
            f"{wrong.key}  {wrong.problem}  {wrong.published} -> {wrong.corrected or 'none'}: {wrong.reason}"
        )
    for title, remarks in (("not understood", found.unparsed), ("not of its problem's form", found.flawed)):
        for remark in remarks:
            print(f"{remark.key}  {remark.problem}  {title}: {remark.reason}")
