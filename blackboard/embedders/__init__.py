"""Embedders that work offline: the model comes inside a wheel, nothing is downloaded, and no torch is needed.

``MiniLM`` is what the extra ``embed`` installs: English, 5 ms a text. ``E5`` (extra ``embed-multilingual``) reads a hundred languages, and
finds what was said in one by a question in another, at several times the cost. Both rank English alike well.
"""

from blackboard.embedders.e5 import E5
from blackboard.embedders.minilm import MiniLM

__all__ = ["E5", "MiniLM"]
