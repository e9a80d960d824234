"""``python -m examples.constraints``."""

import sys

from agents.cli import main

main(["run", "examples.constraints", *sys.argv[1:]])
