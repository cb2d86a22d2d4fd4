"""The whole way of a study with a few people: served, killed twice, exported, and every answer accounted for."""

import shutil
import sys

import pytest

import acceptance

FEW = ["acceptance.py", "--people", "6", "--think", "0.05", "--away", "0.1"]


@pytest.mark.slow
def test_no_answer_is_lost_and_none_is_there_twice(monkeypatch, capsys, tmp_path):
    browsers = 2 if shutil.which("chromium") else 0
    monkeypatch.setattr(sys, "argv", [*FEW, "--browsers", str(browsers), "--out", str(tmp_path)])
    acceptance.main()
    out = capsys.readouterr().out
    assert "the server was killed 2 times; " in out
    assert ": none lost, none twice, none foreign" in out
    assert "statements have 2 to 2 people each" in out
