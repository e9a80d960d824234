"""A conversation of sixty rounds, in English and in Chinese, and three memories that are asked about it at its end.

Run it: ``pheroboard run examples/sixty_rounds [--language en|zh] [--plot FILE.png]``.
"""

from examples.sixty_rounds.story import main

__all__ = ["main"]
