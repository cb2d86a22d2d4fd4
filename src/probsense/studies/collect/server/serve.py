"""Serves a study until it is stopped."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.registry import install
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import Study

BACKLOG: Final = 2048
PATIENCE: Final = 2.0
"""Seconds for which all wait while another program writes to the file; then people are asked to send once more."""


@contextlib.contextmanager
def prepared(
    study: Study, db: Path, host: str, port: int, root_path: str, origin: str
) -> Iterator[tuple[Callable[[], None], Callable[[], None], str, str]]:
    """Yield what runs the server and what stops it, and the addresses for participants and for the researcher.

    Until it runs, those who come wait at the address.

    Parameters
    ----------
    study : Study
    db : Path
        The file of the answers, made where it is missing.
    host : str
    port : int
        0 for any free one.
    root_path : str
        The prefix under which a reverse proxy shows the pages, such as "/study"; "" for none.
    origin : str
        The address of that proxy, such as "https://study.example"; "" for that of this machine.

    Raises
    ------
    ProbSenseError
        Where the extra is not installed.
    InputError
        For an address that cannot be used, and a file that is not this study's.
    """
    try:
        import uvicorn

        from probsense.studies.collect.server.app import build_app, milliseconds
        from probsense.studies.collect.server.research import research_token
    except ImportError:
        raise ProbSenseError(f"probsense collect needs starlette and uvicorn: {install('collect')}") from None
    listening = _listen(host, port)
    storage = Storage.open(db)
    try:
        storage.begin(study, milliseconds())
        storage.wait_at_most(PATIENCE)
        server = uvicorn.Server(
            uvicorn.Config(
                build_app(study, storage, secure=origin.startswith("https:")),
                root_path=root_path,
                access_log=False,  # it would hold addresses and the participants' secrets
                log_level="warning",
                server_header=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=5,
            )
        )

        bare = f"[{host}]" if ":" in host else host
        address = f"{origin or f'http://{bare}:{listening.getsockname()[1]}'}{root_path}/"
        run, stop = partial(server.run, sockets=[listening]), partial(setattr, server, "should_exit", True)
        yield run, stop, address, f"{address}research/{research_token(storage)}/"
    finally:
        listening.close()
        storage.close()


def _listen(host: str, port: int) -> socket.socket:
    """Take the address before anything else, so that nobody waits at one that somebody else has."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only for a socket that names its protocol does asyncio send what is small at once.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve at {host}, port {port}: {reason}") from None
    return listening
