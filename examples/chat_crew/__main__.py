"""``python -m examples.chat_crew``."""

import sys

from agents.cli import main

main(["run", "examples.chat_crew", *sys.argv[1:]])
