"""The load test of a served study, with a few people."""

import re
import sys

import pytest

import load


@pytest.mark.slow
def test_a_few_people_at_once(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["load.py", "--people", "6", "--items", "3", "--think", "0.01"])
    load.main()
    out = capsys.readouterr().out
    assert out.startswith("78 requests in ")  # two pages before, eleven on the way, for six people
    assert re.search(r"p50 \d+ ms, p95 \d+ ms", out)
    assert out.endswith("no answer is lost: 18 of 6 people\n")
