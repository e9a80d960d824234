"""``python -m examples.learning_crew``."""

import sys

from agents.cli import main

if __name__ == "__main__":  # distilling starts a process, which imports this
    main(["run", "examples.learning_crew", *sys.argv[1:]])
