"""How to install extras."""

import json
from types import SimpleNamespace

import pytest

from probsense.core import registry


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'probsense[hf]'"),
        (
            {"url": "file:///a/probsense.whl", "archive_info": {}},
            "pip install 'probsense[hf] @ file:///a/probsense.whl'",
        ),
        ({"url": "file:///a/b%20c", "dir_info": {}}, "pip install '/a/b c[hf]'"),
        ({"url": "file:///a/b", "dir_info": {"editable": True}}, "pip install -e '/a/b[hf]'"),
        (
            {"url": "https://x.org/probsense", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            "pip install 'probsense[hf] @ git+https://x.org/probsense'",
        ),
    ],
)
def test_the_command_is_that_of_the_first_installation(origin, command, monkeypatch):
    text = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(registry, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
    assert registry.install("hf") == command
