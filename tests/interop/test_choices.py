"""People's choices, from the pages of a study to a comparison with models."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.interop.compare import ChoicesReader, read_choices
from probsense.studies.collect.export import export
from probsense.studies.collect.pages.participant import pages_of
from probsense.studies.collect.participants import assign, new_token
from probsense.studies.collect.storage import Storage
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from support.studies.taking import make_study


def exported(
    folder: Path, block: dict[str, Any], errs: Callable[[str, str], bool], per_item: int = 6, **more: Any
) -> Path:
    """The export of a study that people filled in, where it is known who errs at which item."""
    study = make_study(folder, items=[block], per_item=per_item, **more)
    with closing(Storage.open(folder / "answers.db")) as storage:
        storage.begin(study, 0)
        while person := storage.start(new_token(), ("", "", ""), partial(assign, study), 0, 0):
            for page in pages_of(study, person.number, person.keys):
                wrong = page.key and errs(str(person.number), page.key.partition("/")[2])
                right = study.item(page.key)[1].right if page.key else None
                values = {} if right is None else {"choice": str(int(right == 0) if wrong else right)}
                storage.add_answer(person.number, page.name, values, 0)
            storage.end(person.number, "completion", 0)
        export(storage, folder / "out")
    return folder / "out"


def nobody(person: str, item: str) -> bool:
    return False


@pytest.fixture
def schemas(tmp_path):
    """Twelve schemas in six pairs."""
    path = tmp_path / "schemas.jsonl"
    with path.open("w") as stream:
        for pair in range(6):
            for twin in (1, 2):
                size = ("large", "small")[twin - 1]
                record = {
                    "qID": f"s{pair}-{twin}",
                    "sentence": f"Cup {pair} did not fit into bag {pair} since the _ was too {size}.",
                    "option1": f"cup {pair}",
                    "option2": f"bag {pair}",
                    "answer": str(twin),
                }
                stream.write(json.dumps(record) + "\n")
    return path


def test_people_stand_beside_models_on_schemas(schemas, tmp_path):
    block = {"kind": "choice", "data": str(schemas)}
    # The first person errs throughout, the second one on the first pair.
    out = exported(tmp_path, block, lambda person, item: person == "1" or (person, item[:2]) == ("2", "s0"))
    people = read_choices(out / "choices.csv")
    assert (people.name, people.task, people.items.height) == ("people", "winogrande", 12)
    by_item = dict(zip(people.items["item"], people.scores["accuracy"], strict=True))
    assert by_item == pytest.approx({name: 4 / 6 if name.startswith("s0") else 5 / 6 for name in by_item})
    assert people.items["cluster"].n_unique() == 6
    assert people.notes[0].startswith("6 people chose, 6 for each item")
    run = ps.evaluate("winogrande", "random:3", data=schemas, store=None)
    found = ps.compare(run, out / "choices.csv")
    assert found.task == "winogrande"
    models, them = found.levels
    assert them.value == pytest.approx((2 * 4 + 10 * 5) / 72)
    assert (them.method, them.clusters, them.n) == ("two-way clustered", 6, 12)

    # Whoever errs throughout makes other people's mean uncertain, and items alone do not show it.
    def alone(values: Any) -> float:
        return float(np.reshape(values, (6, 2)).mean(axis=1).std(ddof=1) / np.sqrt(6))

    assert them.stderr > 3 * alone([*by_item.values()])
    [apart] = found.differences
    assert apart.estimate.value == pytest.approx(models.value - them.value)
    theirs = them.stderr**2 - alone([*by_item.values()]) ** 2
    both = alone(found.aligned[0].values[0] - found.aligned[0].values[1]) ** 2 + theirs
    assert apart.estimate.stderr == pytest.approx(np.sqrt(both))
    assert np.isnan(apart.p_permutation)
    assert np.isnan(apart.p_mcnemar)


def test_people_are_a_pilot_beside_a_model(schemas, tmp_path):
    block = {"kind": "choice", "data": str(schemas)}
    out = exported(tmp_path, block, lambda person, item: person == "1" or (person, item[:2]) == ("2", "s0"))
    run = ps.evaluate("winogrande", "random:3", data=schemas, store=None)
    model, them = ps.plan(run, people=[out], width=0.3).pilots
    [apart] = ps.compare(run, out).differences
    assert (model.beyond, them.beyond[0].units, them.beyond[0].answers) == ((), 6, 6)
    found = ps.plan(run, out, difference=0.3)
    assert found.pilots[0].stderr(6) == pytest.approx(apart.estimate.stderr)
    assert found.needed == (None,)
    assert "with 6 people, the power stays below" in found.sentence
    [many] = ps.plan(run, out, difference=0.3, raters=60).needed
    assert many is not None


def test_people_stand_beside_models_on_suites(tmp_path):
    (tmp_path / "p.txt").write_text("Say what follows.\n")
    asked = [{"text": text, "expected": 0} for text in ("It rains.", "It snows.")]
    test = {"pretext": "", "context": asked, "posttext": "", "queries": ["wet", "dry"]}
    (tmp_path / "p_t.json").write_text(json.dumps(test))
    options = {"prompt": "p", "test": "t", "input_dir": tmp_path}
    block = {"kind": "choice", "suite": {"folder": str(tmp_path), "prompt": "p", "test": "t"}}
    out = exported(tmp_path, block, nobody)
    run = ps.evaluate("suite", "random", **options, output_dir=tmp_path / "csv", store=None)
    found = ps.compare(out, run)
    assert found.levels[0].by == {"model": "people"}
    assert found.levels[0].value == 1
    assert found.aligned[0].items["text"].to_list() == ["It rains.", "It snows."]


def test_people_stand_beside_models_on_worldsense(tmp_path):
    """The mean of people is that of models who answered the same, though each saw a few trials."""
    design = Design(sizes=(3, 4), problems=("Infer.trivial", "Compl.trivial"))
    write_testset(tmp_path / "set", design)
    block = {"kind": "worldsense", "data": str(tmp_path / "set")}
    out = exported(tmp_path, block, lambda person, item: int(item) % 3 == 0, per_person=20)
    people = read_choices(out / "choices.csv")
    responder = tmp_path / "set" / "results" / "basic___m___results.jsonl"
    responder.parent.mkdir()
    with responder.open("w") as stream:
        for item, label in people.items.select("item", "label").rows():
            stream.write(json.dumps({"Key": int(item), "resp": label}) + "\n")
    found = ps.compare(responder, out, measure=["accuracy", "strict_accuracy", "bias"], intersection=True)
    assert found.aligned[0].items["stratum"].n_unique() == 4
    for apart in found.differences:
        assert apart.estimate.value == pytest.approx(0, abs=1e-12)
        assert apart.equal == people.items.height
    assert 0 < found.levels[0].value < 1
    assert found.levels[0].value == pytest.approx(found.levels[1].value)


def test_whatever_is_no_export_is_one_line(schemas, tmp_path):
    out = exported(tmp_path, {"kind": "choice", "data": str(schemas)}, nobody)
    path = out / "choices.csv"
    assert ChoicesReader().recognises(path)
    assert ChoicesReader().recognises(out)
    assert not ChoicesReader().recognises(out / "participants.csv")
    before, study = path.read_text(), (out / "study.json").read_text()

    def refused(said: str) -> None:
        with pytest.raises(InputError, match=said) as error:
            read_choices(path)
        assert "\n" not in str(error.value)

    first, line, *_ = before.splitlines()
    path.write_text(f"{first}\n")
    refused("no choices")
    path.write_text(f"{first}\n{line}\n{line}\n")
    refused(r"line 3: item is '1 1 s\d-\d' again, first on line 2")
    path.write_text(before.replace(",s0-1,", ",s9-1,"))
    refused(r"item is 's9-1' \(expected an item of the block '1' of study.json\)")
    path.write_text(before.replace(",s0-1,0,", ",s0-1,2,"))
    refused(r"answer is '2' \(expected the index of an option, 0 to 1\)")
    path.write_text(before)
    (out / "study.json").write_text(study.replace('"options"', '"choices"'))
    refused("study.json: ")
    document = json.loads(study)
    for question in document["blocks"][0]["questions"]:
        question["data"]["data"]["options"] = []
    (out / "study.json").write_text(json.dumps(document))
    refused("a question that is none of winogrande")
    (out / "study.json").unlink()
    refused("no study.json beside this file")
