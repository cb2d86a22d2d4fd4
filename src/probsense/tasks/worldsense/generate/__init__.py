"""Draws fresh sets; what the user may choose is named here, where nothing heavy is imported."""

from typing import Final

MATCHED, PUBLISHED = REGIMES = ("matched", "published")
"""How normal problems are drawn; the first is the default."""

USUAL_SIZES: Final = (4, 5, 6)
"""Numbers of entities where the user chose none. Three are too few to match siblings: counting answers such stories."""
