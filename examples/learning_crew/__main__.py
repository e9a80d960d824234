"""``python -m examples.learning_crew``."""

import sys

from agents.cli import main

main(["run", "examples.learning_crew", *sys.argv[1:]])
