"""``python -m examples.sixty_rounds``."""

import sys

from agents.cli import main

main(["run", "examples.sixty_rounds", *sys.argv[1:]])
