"""The command of lm-evaluation-harness with the model ``probsense``: for releases of it that read no entry points."""

from __future__ import annotations

import sys

from probsense.extras import install


def main() -> None:
    """Register the model, and run the harness's own command."""
    try:
        from lm_eval.__main__ import cli_evaluate
        from lm_eval.api.registry import register_model

        from probsense.interop.harness import ProbSenseLM
    except ImportError as error:
        missing = f"lm-evaluation-harness cannot be imported ({error})"
        print(f"probsense-lm-eval: {missing}: {install('lm-eval')}", file=sys.stderr)
        raise SystemExit(2) from None
    register_model("probsense")(ProbSenseLM)
    cli_evaluate()


if __name__ == "__main__":
    main()
