"""Charts that are drawn once, however much is looked at in them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

from probsense.show.chart import Chart
from support import drawing


@dataclass(frozen=True)
class Drawn:
    """A chart as a page has it."""

    chart: Chart

    @property
    def svg(self) -> str:
        """What stands on the page."""
        return drawing.svg(self.chart)

    @property
    def roots(self) -> tuple[ET.Element, ET.Element]:
        """As it is for a screen and for a phone."""
        return drawing.drawn(self.chart)

    def check(self) -> None:
        """Check what must hold of every chart."""
        for check in drawing.CHECKS:
            check(self.chart)
