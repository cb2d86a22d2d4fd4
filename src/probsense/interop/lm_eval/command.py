"""The command of lm-evaluation-harness with our model and tasks: for releases of it that read no entry points."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from probsense.core.errors import ProbSenseError
from probsense.core.registry import install
from probsense.interop.lm_eval import FOLDER

NAMED: Final = {"--include_path", "--config", "-C"}
"""Arguments by which users name a folder of tasks themselves, or a file that may name one."""


def main() -> None:
    """Register the model, name the folder of our tasks, and run the harness's own command."""
    try:
        from lm_eval.__main__ import cli_evaluate
        from lm_eval.api.registry import register_model

        from probsense.interop.lm_eval.model import ProbSenseLM
    except ImportError as error:
        missing = f"lm-evaluation-harness cannot be imported ({error})"
        print(f"probsense-lm-eval: {missing}: {install('lm-eval')}", file=sys.stderr)
        raise SystemExit(2) from None
    register_model("probsense")(ProbSenseLM)
    sys.argv[1:] = with_tasks(sys.argv[1:])
    try:
        cli_evaluate()
    except ProbSenseError as error:
        print(f"probsense-lm-eval: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None


def with_tasks(arguments: Sequence[str]) -> list[str]:
    """Add the folder of our tasks to the arguments of the harness, unless they name one; a lone word asks for help."""
    if len(arguments) < 2 or NAMED & {word.partition("=")[0] for word in arguments}:
        return [*arguments]
    return [*arguments, "--include_path", str(FOLDER)]


if __name__ == "__main__":
    main()
