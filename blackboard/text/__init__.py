"""What a text is about, and which texts a query is about (chapter 2, "Recall"). No model is needed.

``words`` breaks a text into terms, ``times`` tells the dates and times of day that it names, ``analysis`` is all that comes of it, and
``cache`` keeps that; ``index`` says which items have which terms, and ``relevance`` how much of a query each of them meets.
"""

from blackboard.text.analysis import Text
from blackboard.text.cache import AnalysisCache
from blackboard.text.index import TextIndex
from blackboard.text.relevance import WEIGHTS, Met, Near, Query, Weights, meet
from blackboard.text.times import day_of
from blackboard.text.words import terms

__all__ = ["WEIGHTS", "AnalysisCache", "Met", "Near", "Query", "Text", "TextIndex", "Weights", "day_of", "meet", "terms"]
