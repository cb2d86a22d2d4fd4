"""The path of a page that was written, which a notebook shows as a link."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from urllib.parse import quote

if sys.platform == "win32":
    from pathlib import WindowsPath as _Path
else:
    from pathlib import PosixPath as _Path


class Written(_Path):
    """A path; a notebook shows it as a link to the file, from the folder in which the notebook is."""

    def _repr_html_(self) -> str:
        here = Path.cwd()
        path = self.relative_to(here) if self.is_relative_to(here) else Path(self)
        return f'<a href="{escape(quote(path.as_posix()))}" target="_blank" rel="noopener">{escape(str(path))}</a>'
