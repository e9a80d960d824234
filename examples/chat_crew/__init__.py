"""Three chat agents plan a team trip: what one must keep to reaches the others through the board, and outlasts their windows.

Run it: ``pheroboard run examples/chat_crew``. The models are scripted, behind a server on loopback that speaks the protocol; with
``OPENAI_MODEL``, ``OPENAI_API_KEY`` and, unless it is OpenAI's, ``OPENAI_BASE_URL`` in the environment it is that one's model.
"""

from examples.chat_crew.story import main

__all__ = ["main"]
