"""What the server does before anybody comes."""

from __future__ import annotations

import resource
import socket
from pathlib import Path

from probsense.collect import render
from probsense.collect.serve import _listen, serving
from support.studies.taking import make_study


def test_asyncio_sends_what_is_small_at_once() -> None:
    """It does so for TCP sockets that say that they are; others wait 40 ms for the other side's acknowledgement."""
    with _listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_nobody_waits_for_templates(tmp_path: Path) -> None:
    render._template.cache_clear()
    with serving(make_study(tmp_path), tmp_path / "answers.db"):
        assert render._template.cache_info().currsize == 2


def test_many_may_be_connected(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        with serving(make_study(tmp_path), tmp_path / "answers.db"):
            soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
            assert soft == before[1] or soft >= 10_000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
