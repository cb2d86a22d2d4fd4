"""Holds what commands print with ``--json`` against the schema that comes with the package."""

import functools
import json
from importlib import resources

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

SCHEMA = json.loads((resources.files("probsense") / "documents.schema.json").read_bytes())
COMMANDS = {
    command: tuple(name for name, one in SCHEMA["$defs"].items() if command in one.get("commands", ()))
    for schema in SCHEMA["$defs"].values()
    for command in schema.get("commands", ())
}
"""The documents that each command may print."""


def command_of(words):
    """Return the command among some words, such as "runs show"; "" if none prints a document."""
    begun = [command for command in COMMANDS if command.split() == [*words][: len(command.split())]]
    return max(begun, key=len, default="")


def fault(words, text, *, closed=False):
    """Say where the output of a command is not as the schema describes it; "" if it is nowhere.

    Parameters
    ----------
    words : sequence
        Those of the command, without "probsense".
    text : str
        What it printed.
    closed : bool
        Whether a field that is not described is a fault, too.
    """
    document = json.loads(text, parse_constant=_refuse)
    return fault_of(document, *COMMANDS[command_of(words)], closed=closed)


def fault_of(document, *names, closed=False):
    """Say where a document is none of those of these names in the schema; "" if it is one."""
    error = best_match(_validator(names, closed).iter_errors(document))
    return "" if error is None else f"{error.json_path}: {error.message[:300]}"


def _refuse(constant):
    raise ValueError(f"{constant} is not JSON")


@functools.cache
def _validator(names, closed):
    defs = _closed(SCHEMA["$defs"]) if closed else SCHEMA["$defs"]
    either = [{"$ref": f"#/$defs/{name}"} for name in names]
    return Draft202012Validator({**(either[0] if len(either) == 1 else {"anyOf": either}), "$defs": defs})


def _closed(schema):
    """Refuse fields that are not described, as tests should and readers should not."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return strict | {key: _closed(one) for key, one in schema.items()}
