"""Charts that are drawn once, however much is looked at in them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from functools import cached_property

import pytest

from probsense.show.chart import Chart
from probsense.show.render import page_svg
from support import drawing
from support.drawing import CHECKS


class Drawn:
    """A chart as a page has it."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart

    @cached_property
    def svg(self) -> str:
        """What stands on the page."""
        return page_svg(self.chart)

    @cached_property
    def roots(self) -> tuple[ET.Element, ET.Element]:
        """As it is for a screen and for a phone."""
        wide, narrow = ET.fromstring(f"<page>{self.svg}</page>")
        return wide, narrow

    def check(self, checks: Sequence[Callable[[Chart], None]] = CHECKS) -> None:
        """Check what must hold of every chart."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(drawing, "page_svg", lambda chart: self.svg)
            for check in checks:
                check(self.chart)
