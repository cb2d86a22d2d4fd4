"""The published extra-small training set of WinoGrande: every line is read, and read rightly."""

import json
from collections import Counter

import pytest

from probsense.core.records import ScoreRequest
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas
from probsense.tasks.winogrande.task import Winogrande

pytestmark = pytest.mark.reference


@pytest.fixture
def path(reference_data):
    return reference_data / "winogrande" / "train_xs.jsonl"


def test_every_sentence_is_fed_with_its_option_in_the_place_of_the_blank(path):
    task = Winogrande(path)
    assert Counter(Counter(item.cluster for item in task.items()).values()) == {2: 80}
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record, item in zip(records, task.items(), strict=True):
        (request,) = task.requests(item, "options", {})
        assert isinstance(request, ScoreRequest)
        assert item.gold == str(int(record["answer"]) - 1)
        for option, name in zip(request.options, ("option1", "option2"), strict=True):
            fed = request.prefix + option + request.suffix
            assert fed == record["sentence"].replace("_", record[name])
            assert option == f" {record[name]}"
            assert request.suffix


def test_none_of_our_schemas_is_a_published_one(path):
    published = {item.data["sentence"].lower() for item in read_schemas(path)}
    assert not published & {item.data["sentence"].lower() for item in read_schemas(PACKAGED)}
