"""Nothing that a page shows may reach for the network."""

from __future__ import annotations

import os

# Read when the library is imported, which other tests may have done; it is needed only where this is not so.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
