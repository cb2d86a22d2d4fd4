"""Forms of questions in sets: recorded, recomputed and counted."""

from __future__ import annotations

import bz2
import json
from pathlib import Path

from probsense.tasks.worldsense.audit.described import described_form
from probsense.tasks.worldsense.audit.forms import count_forms, forms_table
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.problems import PROBLEMS
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.questions.trials import read_trials, read_trials_by_line
from probsense.tasks.worldsense.text.form import question_form
from probsense.tasks.worldsense.text.parse import parse_text
from support.worldsense import records_of


def test_text_and_record_have_the_form_that_is_recorded() -> None:
    skins = (*load_skins("test"), *load_skins("parallel"))
    for record in records_of(Design(3, (3, 4, 6), tuple(PROBLEMS), skins=skins)):
        assert question_form(parse_text(record["text"])) == record["form"], record
        problem, n = record["problemname"], record["problemsize"]
        described = described_form(problem, n, record["descr"], record["query"])
        assert described == (None if problem == "Infer.parallel" else record["form"]), record


def test_forms_of_a_set_that_does_not_record_them_come_from_its_descriptions(tmp_path: Path) -> None:
    write_testset(tmp_path, Design(3, (4,), ("Infer.normal", "Consist.trivial")))
    packed = tmp_path / "trials.jsonl.bz2"
    records = [json.loads(line) for line in bz2.decompress(packed.read_bytes()).splitlines()]
    forms = [record.pop("form") for record in records]
    packed.unlink()
    plain = tmp_path / "trials.jsonl"
    plain.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert read_trials(tmp_path)["form"].to_list() == forms
    assert read_trials_by_line(plain)["form"].to_list() == forms


def test_the_table_leaves_a_gap_where_a_problem_lacks_a_size() -> None:
    counts = count_forms([("Compl.normal", 4, "a"), ("Compl.normal", 4, "b"), ("Infer.normal", 5, "a")])
    assert forms_table(counts) == [
        "forms (share of the most frequent)  size 4     size 5",
        "Infer.normal                                   1 (1.000)",
        "Compl.normal                        2 (0.500)",
    ]
