"""A customer's conversation of twenty turns, in English and in Chinese, and what is known of it while other things are talked about.

Run it: ``pheroboard run examples/customer_service [--language en|zh]``.
"""

from examples.customer_service.story import main

__all__ = ["main"]
