"""``python -m examples.procurement``."""

import sys

from agents.cli import main

main(["run", "examples.procurement", *sys.argv[1:]])
