"""What the command prints and writes is what is on record: the safety net of changes that must not be seen.

``tests/recorded/outputs.json.xz`` holds the outputs of the commands in ``tests/recorded/commands.toml``: results in
every format, pages, charts, helps, exit codes and errors. ``python tests/recorded/recording.py --check`` shows what
differs, with ``--only STORY`` or ``--only STORY.COMMAND`` for some of it. Where an output is to change, read the
difference and put the new output on record by ``python tests/recorded/recording.py --update STORY.COMMAND``; the commit
says why. A new command is put on record in the same way.
"""

import base64
import json
import subprocess
import sys
import zlib

import pytest

from recorded import recording


@pytest.mark.slow
def test_every_output_is_the_one_on_record():
    done = subprocess.run([sys.executable, recording.__file__, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_last_digits_of_what_a_model_computes_may_differ():
    for model, now, differing in (
        ("builtin:tiny", " 9.26 1.23456288e-9", []),
        ("builtin:tiny", " 9.27 1.23456788e-9", ["a.b"]),
        ("builtin:tiny", " 9.25 1.3e-9", ["a.b"]),
        ("builtin:tiny", "9.25 x", ["a.b"]),
        ("random:1", " 9.26 1.23456288e-9", ["a.b"]),
    ):
        was = {"words": f"run -m {model}", "out": " 9.25 1.23456789e-9"}
        found = dict(recording.differences({"a.b": was}, {"a.b": was | {"out": now}}))
        assert [*found] == differing
        assert all(f"\n+{now}\n" in diff for diff in found.values())


@pytest.mark.parametrize(("now", "same"), [(0.07483262946909062, True), (0.07483263, False)])
def test_processors_may_add_in_another_order(now, same):
    """Also in the data that a page holds compressed."""

    def page(number):
        packed = base64.b64encode(zlib.compress(json.dumps({"high": number}).encode())).decode()
        return f'<script type="text/plain" id="packed">{packed}</script>'

    was = {"a.b": {"words": "report -m random:1", "file page.html": page(0.07483262946909073)}}
    found = {"a.b": was["a.b"] | {"file page.html": page(now)}}
    assert ([*recording.differences(was, found)] == []) is same
