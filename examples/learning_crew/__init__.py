"""A data desk over a table of sales: its first strategies fail on every other request, and three cycles of evolution mend them.

Run it: ``pheroboard run examples/learning_crew [--unchecked] [--plot FILE.png]``.
"""

from examples.learning_crew.crew import retry
from examples.learning_crew.story import main

__all__ = ["main", "retry"]
