"""Strengths watched from another process, which is killed, comes back, and has missed nothing.

Run it: ``pheroboard run examples/watch_strength``.
"""

from examples.watch_strength.story import main

__all__ = ["main"]
