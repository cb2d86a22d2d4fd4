"""What the tests of a served study share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probsense.studies.collect.storage import Storage
from support.studies.taking import Clock, Participant, client, make_study


class Served:
    """A study that is served in this process; browsers are made as they are wanted."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.folder, self.clock = folder, Clock()
        self.study = make_study(folder, **changes)
        self.db = folder / "answers.db"
        self.storage = Storage.open(self.db)
        self.storage.begin(self.study, self.clock())

    def browser(self) -> Any:
        return client(self.study, self.storage, self.clock)

    def participant(self, address: str = "/", browser: Any = None) -> Participant:
        return Participant(browser or self.browser(), address)

    def restart(self) -> None:
        """Go on with nothing but the file."""
        self.storage.close()
        self.storage = Storage.open(self.db)


@pytest.fixture
def served(tmp_path):
    """Serve a study with some keys changed."""
    made = []

    def serve(**changes: Any) -> Served:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Served(folder, **changes))
        return made[-1]

    yield serve
    for one in made:
        one.storage.close()
