"""``python -m probsense``."""

from probsense.cli import main

main()
