"""Whatever participants do, in any order and in two tabs, no answer is lost and none counts twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from probsense.studies.collect.storage import Storage
from support.studies.taking import Clock, Participant, client, make_study

PEOPLE, TABS = 2, 2
ANSWERS = st.fixed_dictionaries({}, optional={"q1": st.sampled_from(["yes", "no"]), "q2": st.just("yes")})
WHO = st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, TABS - 1))


class Actions(RuleBasedStateMachine):
    """Two people with two tabs each, beside a model: the list of what each sent for each page, one after the other."""

    @initialize()
    def begin(self) -> None:
        self.folder, self.clock = Path(tempfile.mkdtemp()), Clock()
        self.study = make_study(self.folder, per_person=2)
        self.db = self.folder / "answers.db"
        self.storage = Storage.open(self.db)
        browsers = [client(self.study, self.storage, self.clock) for _ in range(PEOPLE)]
        self.tabs = [[Participant(browser).open() for _ in range(TABS)] for browser in browsers]
        self.sent: list[dict[str, list[dict[str, str]]]] = [{} for _ in range(PEOPLE)]
        self.began: list[int] = []
        self.ended: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "storage"):
            self.storage.close()
            shutil.rmtree(self.folder)

    def model_open(self, who: int) -> int:
        """How many pages the person has answered in a row: instructions, 1, 2."""
        complete = [
            "instructions" in self.sent[who],
            *({"q1", "q2"} == {*self.sent[who].get(page, [{}])[-1]} for page in ("1", "2")),
        ]
        return (*complete, False).index(False)

    def note(self, who: int, page: str, values: Mapping[str, str], *, back: bool) -> None:
        """Do in the model what sending a form does."""
        order = ["instructions", "1", "2", "finish"]
        if who in self.ended or order.index(page) > self.model_open(who):
            return
        if page == "finish":
            if not back:
                self.ended.add(who)
            return
        own = dict(values) if page in ("1", "2") else {}
        if not own and back and page not in self.sent[who]:
            return
        versions = self.sent[who].setdefault(page, [])
        if not versions or versions[-1] != own:
            versions.append(own)

    def send(self, who: int, tab: int, values: dict[str, str], go: str) -> None:
        one = self.tabs[who][tab]
        self.clock.pass_(ms=250)
        if "<form" not in one.page.text:
            return
        if 'action="start"' in one.page.text:
            one.send(consent="yes")
            if who not in self.began:
                self.began.append(who)
            return
        page = one.at
        one.send(**values, go=go)
        assert one.page.status_code == 200, one.text
        self.note(who, page, values, back=go == "back")

    @rule(who=WHO, values=ANSWERS)
    def go_on(self, who: tuple[int, int], values: dict[str, str]) -> None:
        self.send(*who, values, "on")

    @rule(who=WHO)
    def answer_in_full(self, who: tuple[int, int]) -> None:
        self.send(*who, {"q1": "yes", "q2": "yes"}, "on")

    @rule(who=WHO, values=ANSWERS)
    def go_back(self, who: tuple[int, int], values: dict[str, str]) -> None:
        self.send(*who, values, "back")

    @rule(who=WHO, values=ANSWERS, times=st.integers(2, 3))
    def click_again(self, who: tuple[int, int], values: dict[str, str], times: int) -> None:
        """Send the same form several times, as a double click does."""
        one = self.tabs[who[0]][who[1]]
        before = one.page
        for _ in range(times):
            one.page = before
            self.send(*who, values, "on")

    @rule(who=WHO)
    def reload(self, who: tuple[int, int]) -> None:
        one = self.tabs[who[0]][who[1]]
        one.open(str(one.page.url) if one.page.request.method == "GET" else "/")

    @rule(who=WHO)
    def come_by_the_address(self, who: tuple[int, int]) -> None:
        self.tabs[who[0]][who[1]].open("/")

    @rule()
    def kill_and_start_again(self) -> None:
        """Forget everything but the file, as it is at this moment, with its log beside it."""
        copy = self.folder / "copy"
        copy.mkdir(exist_ok=True)
        for path in self.folder.glob("answers.db*"):
            shutil.copy(path, copy / path.name)
        self.storage.close()
        for path in copy.iterdir():
            shutil.copy(path, self.folder / path.name)
        shutil.rmtree(copy)
        self.storage = Storage.open(self.db)
        for tabs in self.tabs:
            cookies = tabs[0].browser.cookies
            browser = client(self.study, self.storage, self.clock)
            browser.cookies = cookies
            for one in tabs:
                one.browser = browser

    @precondition(lambda self: hasattr(self, "storage"))
    @invariant()
    def what_is_stored_is_what_was_sent(self) -> None:
        people = self.storage.people()
        assert len(people) == len(self.began)
        stored = [{} for _ in people]
        for given in self.storage.all_answers():
            stored[given.person - 1].setdefault(given.page, []).append(given.values)
        assert stored == [self.sent[who] for who in self.began]
        for person, who in zip(people, self.began, strict=True):
            assert (person.end == "completion") == (who in self.ended)


TestActions = Actions.TestCase
TestActions.settings = settings(max_examples=settings.default.max_examples // 5, stateful_step_count=30)
