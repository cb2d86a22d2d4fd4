"""What commands print with ``--json`` is what the schema in the package describes."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

from probsense.cli import app
from probsense.cli.task_commands import TaskGroup
from recorded import recording
from support.json_documents import COMMANDS, SCHEMA, command_of, fault

CHANGING = "<seconds>"
"""What stands in a record for a number that changes by itself."""
GONE = re.compile(r",(?=\s*\])")
"""What is left of a note that looks like a line of progress, which a record leaves out."""


def recorded():
    """Return words and output of every recorded command that printed a document, by its name."""
    return {
        name: (parts["words"].split(), GONE.sub("", parts["out"].replace(CHANGING, "0.5")))
        for name, parts in recording.read().items()
        if parts.get("out", "").startswith("{") and command_of(parts["words"].split())
    }


RECORDED = recorded()


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_document_is_described_field_by_field(name):
    words, text = RECORDED[name]
    assert fault(words, text, closed=True) == ""
    assert Draft202012Validator(SCHEMA).is_valid(json.loads(text))


def test_the_schema_is_one_and_names_each_document_once():
    Draft202012Validator.check_schema(SCHEMA)
    printed = [name for name, one in SCHEMA["$defs"].items() if "commands" in one]
    assert [one["$ref"] for one in SCHEMA["anyOf"]] == [f"#/$defs/{name}" for name in printed]


def with_json(group, before=""):
    """Return the commands that have ``--json``, with their groups; those of tasks are as that of their first one."""
    found = set()
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, TaskGroup):
            command = command.get_command(None, command.made_by.tasks()[0])
        if any("--json" in one.opts for one in command.params):
            found.add(before + name)
        found |= with_json(command, f"{before}{name} ") if hasattr(command, "commands") else set()
    return found


def test_every_command_with_json_has_a_document():
    from typer.main import get_command

    assert {*COMMANDS} == with_json(get_command(app))


def test_a_document_that_differs_is_seen():
    words, text = RECORDED["winogrande.json"]
    further = text.replace('"level":', '"further": 1, "level":', 1)
    for other, is_open in ((text.replace('"level": 0.95', '"level": null', 1), False), (further, True)):
        assert "$.estimates[0]" in fault(words, other, closed=True)
        assert (fault(words, other) == "") is is_open
    with pytest.raises(ValueError, match="NaN is not JSON"):
        fault(words, text.replace("0.55", "NaN"))
