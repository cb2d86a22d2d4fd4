"""Watches quantities over a soak: processes and files are measured, and each series is judged flat or not."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import connect

WARM_UP = 0.2
"""The share of a series, from its start, that is not judged."""
FEWEST = 10
"""A series with fewer values after the warm-up is not judged."""
GROWTH = 0.01
"""The share of its level by which a flat quantity may grow in an hour."""


@dataclass(frozen=True)
class Trend:
    """How a quantity went: levels in its unit, the slope per hour with its 95 % interval, and the verdict."""

    quantity: str
    count: int
    first: float
    median: float
    last: float
    slope: float | None
    low: float | None
    high: float | None
    flat: bool | None

    @property
    def line(self) -> str:
        """Return a row of the table."""
        levels = "".join(f"{value:>11,.2f}" for value in (self.first, self.median, self.last))
        slope = f"{self.slope:+.3f} [{self.low:+.3f}, {self.high:+.3f}]" if self.slope is not None else "-"
        verdict = {True: "flat", False: "GROWS", None: "-"}[self.flat]
        return f"{self.quantity:<46}{self.count:>6}{levels}  {slope:<30}{verdict}"


@dataclass
class Watch:
    """Keeps series of quantities by the hour.

    Those in ``growing`` have a reason to grow, such as a larger input, and are shown without a verdict.
    """

    series: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    growing: set[str] = field(default_factory=set)
    start: float = field(default_factory=time.monotonic)

    @property
    def hour(self) -> float:
        """Return the hours since the start."""
        return (time.monotonic() - self.start) / 3600

    def add(self, quantity: str, value: float, *, grows: bool = False) -> None:
        """Note a value."""
        self.series[quantity].append((self.hour, value))
        if grows:
            self.growing.add(quantity)

    def process(self, name: str, pid: int) -> None:
        """Note memory in MB, descriptors and threads of a process that lives on."""
        self.add(f"{name}: memory, MB", memory(pid, "VmRSS"))
        self.add(f"{name}: descriptors", len(os.listdir(f"/proc/{pid}/fd")))
        self.add(f"{name}: threads", len(os.listdir(f"/proc/{pid}/task")))

    def trends(self) -> Iterator[Trend]:
        """Judge every series."""
        for quantity, series in self.series.items():
            yield trend(quantity, series, judged=quantity not in self.growing)

    def lines(self) -> Iterator[str]:
        """Yield the table of all trends, sorted."""
        yield f"{'quantity':<46}{'count':>6}{'first':>11}{'median':>11}{'last':>11}  slope an hour [95 %]"
        yield from sorted(trend.line for trend in self.trends())


def trend(quantity: str, series: list[tuple[float, float]], *, judged: bool = True) -> Trend:
    """Judge a series of hours and values.

    The slope is that of Theil and Sen with their interval (:func:`scipy.stats.theilslopes`), after the warm-up. A
    quantity is flat if the interval reaches down to 0, or if it grows by less than :data:`GROWTH` of its median in an
    hour.
    """
    import numpy as np
    from scipy.stats import theilslopes

    values = [value for _, value in series]
    late = series[int(WARM_UP * len(series)) :]
    slopes: tuple[float, float, float] | tuple[None, None, None] = (None, None, None)
    flat = None
    median = float(np.median([value for _, value in late]))
    if len(late) >= FEWEST:
        hours, ys = map(np.array, zip(*late, strict=True))
        found = theilslopes(ys, hours)
        slopes = float(found.slope), float(found.low_slope), float(found.high_slope)
        flat = slopes[1] <= 0 or slopes[0] < GROWTH * abs(median) if judged else None
    return Trend(quantity, len(series), values[0], median, values[-1], *slopes, flat)


def memory(pid: int, field: str) -> float:
    """Return the memory of a process now (VmRSS) or at most (VmHWM) in MB; 0 if it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field)), 0.0)


def size(path: Path) -> int:
    """Count the bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    return path.stat().st_size if path.exists() else 0


def database(path: Path) -> int:
    """Count the bytes of a database, with what its write-ahead log holds."""
    with closing(connect(path)) as db:
        (pages,), (page,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages * page)
