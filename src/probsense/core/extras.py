"""Says how to install what an optional part of the package needs."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname


def install(extras: str) -> str:
    """Return the command that installs extras, from where the package itself was installed.

    Parameters
    ----------
    extras : str
        Such as "hf", or "hf,embed".
    """
    try:
        origin = json.loads(distribution("probsense").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        return f"pip install 'probsense[{extras}] @ {origin['vcs_info']['vcs']}+{url}'"
    if "dir_info" in origin:
        folder = Path(url2pathname(urlsplit(url).path))
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {editable}'{'.' if folder == Path.cwd() else folder}[{extras}]'"
    if "archive_info" in origin:
        return f"pip install 'probsense[{extras}] @ {url}'"
    return f"pip install 'probsense[{extras}]'"
