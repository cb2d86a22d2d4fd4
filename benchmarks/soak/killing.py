"""Gives commands of ProbSense, some of them twice because the first try is killed, and counts what happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from watching import Watch, memory

KILLED, LONGEST = 0.3, 600.0
"""The share of commands that are killed first, and the seconds that a command may take."""


@dataclass
class Tally:
    """Counts what was done."""

    count: int = 0
    failures: int = 0
    kills: int = 0


class Commands:
    """Gives commands in a folder.

    Attributes
    ----------
    tallies : dict of str to Tally
        What was done, by the action.
    killed : bool
        Whether the last command was killed before it was given again.
    left_by_kills : int
        How many unfinished files all kills have left.
    """

    def __init__(self, folder: Path, rng: np.random.Generator, watch: Watch) -> None:
        self.folder, self.rng, self.watch = folder, rng, watch
        self.tallies = defaultdict[str, Tally](Tally)
        self.killed, self.left_by_kills = False, 0
        self._seconds: dict[str, float] = {}

    def begin(self, action: str) -> Tally:
        """Count an action, to which the kills that follow belong; return its tally."""
        self._tally = self.tallies[action]
        self._tally.count += 1
        return self._tally

    def give(self, kind: str, *words: object, grows: bool = False) -> str:
        """Give a command until it ends, and note its peak memory; return what it printed.

        The seconds of the last command of its kind say when it may be killed.
        """
        self.killed = False
        if kind in self._seconds and self.rng.random() < KILLED:
            code, *_ = self._once(words, self._seconds[kind] * self.rng.uniform(0.3, 1.0))
            self.killed = code == -signal.SIGKILL
            self._tally.kills += self.killed
            self.left_by_kills += self.remove_leftovers()
        begun = time.monotonic()
        out, peak = self._ended(words)
        self._seconds[kind] = time.monotonic() - begun
        self.watch.add(f"{kind}: peak memory, MB", peak, grows=grows)
        return out

    def undisturbed(self, *words: object) -> str:
        """Give a command once, and return what it printed."""
        return self._ended(words)[0]

    def remove_leftovers(self) -> int:
        """Remove files that were written and never took their place; return how many there were."""
        found = [path for path in (self.folder / "tmp").rglob("*") if path.is_file()]
        found += [path for path in self.folder.rglob(".*") if path.is_file()]
        for path in found:
            path.unlink()
        return len(found)

    def _ended(self, words: tuple[object, ...]) -> tuple[str, float]:
        code, out, err, peak = self._once(words, LONGEST)
        assert code == 0, f"{' '.join(map(str, words))}: {code}\n{err[-2000:]}"
        return out, peak

    def _once(self, words: tuple[object, ...], longest: float) -> tuple[int, str, str, float]:
        """Run a command for so many seconds at most; return its exit code, both outputs, and its peak in MB."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            line = [sys.executable, "-m", "probsense", *map(str, words)]
            process = subprocess.Popen(line, stdout=out, stderr=err)
            end, peak = time.monotonic() + longest, 0.0
            try:
                # What wait4 says begins with the memory of this process, and the kernel's own mark with the command's.
                while process.poll() is None and time.monotonic() < end:
                    peak = max(peak, memory(process.pid, "VmHWM"))
                    time.sleep(0.02)
            finally:
                process.kill()
            code = process.wait()
            out.seek(0)
            err.seek(0)
            return code, out.read(), err.read(), peak
