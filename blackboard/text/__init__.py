"""What a text is about, and which texts a query is about (chapter 2, "Recall"). No model is needed.

``words`` breaks a text into terms, ``times`` tells the dates and times of day that it names, ``index`` keeps which items have which terms,
and ``relevance`` says how much of a query each of them meets.
"""

from blackboard.text.index import Text, TextIndex
from blackboard.text.relevance import WEIGHTS, Met, Near, Query, Weights, meet
from blackboard.text.times import day_of
from blackboard.text.words import terms

__all__ = ["WEIGHTS", "Met", "Near", "Query", "Text", "TextIndex", "Weights", "day_of", "meet", "terms"]
