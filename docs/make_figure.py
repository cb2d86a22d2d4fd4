"""Draw docs/demo.svg, the picture of the front page, from the demo's store (``make demo`` first)."""

from __future__ import annotations

from pathlib import Path

from probsense.report.chart import chart
from probsense.run.evaluate import load_run
from probsense.run.store import Store

HERE = Path(__file__).parent


def main() -> None:
    """Write the chart as a file of its own: a fixed width, a font, a white ground."""
    store = HERE.parent / "demo" / "probsense.db"
    with Store.open(store, create=False) as opened:
        runs = [record.id for record in opened.runs()]
    drawn = chart([e for run in runs for e in load_run(store, run).summary()], "accuracy", "published")
    head, body = drawn.split(">", 1)
    head = head.replace('width="100%"', 'width="860"').replace(
        'font-family="inherit"', 'font-family="sans-serif"'
    )
    ground = '<rect width="100%" height="100%" fill="white"/>'
    (HERE / "demo.svg").write_text(
        f'{head} style="--paper: white" color="#1a1a1a">{ground}{body}\n', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
