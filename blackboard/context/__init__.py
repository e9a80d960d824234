"""Choosing what goes into a prompt (chapter 4): ``ContextSelector(…).select(query, history, max_tokens=…)``. It needs no board.

    pieces ─► chunkers ─► history ─► candidates ─► greedy on objective ─► assembling ─► Selection
                          (relevance: what it has to do with the query, and with one another)

Law: relevance decides. Diversity and coverage cost little where relevance is strong, and help where it is weak; they promise no more.
"""

from blackboard.context.chunkers import paragraphs, sections, turns
from blackboard.context.expanding import Widened
from blackboard.context.pieces import Piece
from blackboard.context.presets import Weights
from blackboard.context.relevance import Lexical, Relevance
from blackboard.context.selection import Chosen, LeftOut, Selection
from blackboard.context.selector import ContextSelector

__all__ = [
    "Chosen",
    "ContextSelector",
    "LeftOut",
    "Lexical",
    "Piece",
    "Relevance",
    "Selection",
    "Weights",
    "Widened",
    "paragraphs",
    "sections",
    "turns",
]
