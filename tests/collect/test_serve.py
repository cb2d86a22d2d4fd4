"""The socket of the server."""

from __future__ import annotations

import socket

from probsense.collect.serve import _listen


def test_asyncio_sends_what_is_small_at_once() -> None:
    """It does so for TCP sockets that say that they are; others wait 40 ms for the other side's acknowledgement."""
    with _listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
