"""Five agents lay down constraints and test them: one is contested, one breaks, one is relaxed because nobody needs it any more.

Run it: ``pheroboard run examples/constraints``.
"""

from examples.constraints.crew import agents, main

__all__ = ["agents", "main"]
