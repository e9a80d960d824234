"""``python -m examples.watch_strength``."""

import sys

from agents.cli import main

main(["run", "examples.watch_strength", *sys.argv[1:]])
