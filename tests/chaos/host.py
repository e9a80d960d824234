"""A host of a run: ``python -m tests.chaos.host EVERY up BOARD…`` is ``pheroboard up BOARD…``, with a checkpoint after EVERY entries and
changes. With as many as usually pass between two of them a run would hardly come to one.
"""

import sys

from agents.cli import main
from blackboard import housekeeping

if __name__ == "__main__":
    housekeeping.CHECKPOINT_EVERY = int(sys.argv.pop(1))
    main()
