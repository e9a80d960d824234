"""Whether a text insists (chapter 3, "Emphasis"): by exclamation marks, by saying a word again, in bold, or in capitals."""

import re
from collections.abc import Set as AbstractSet

from blackboard.scent.folding import HAN

_MARKED = re.compile(r"!!|\*\*[^*\n]+\*\*|__[^_\n]+__")
# Letters that have a case: "all capitals" means nothing of a script without (chapter 3, "Faults").
_CAPITALS = re.compile(r"(?<![^\W_])[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ]{2,}(?![^\W_])")
_AGAIN = re.compile(r"\b(?!(?:it|that|had|is|you|her)\b)([^\W\d_]{2,20})[ ,!.]+\1\b")
# Behind a pause it is said again only as a whole: "I return it, the return address is …" is no emphasis.
_AGAIN_IN_CHINESE = re.compile(rf"({HAN}{{2,6}})\1|({HAN})\2\2|({HAN}{{2,6}})[,，!！]\3(?!{HAN})")


def is_emphatic(text: str, vocabulary: AbstractSet[str]) -> bool:
    """``vocabulary``: words, in small letters, that are no acronyms; of others it takes two, of four letters or more, to be loud."""
    if _MARKED.search(text) or _AGAIN.search(text.lower()) or (not text.isascii() and _AGAIN_IN_CHINESE.search(text)):
        return True
    loud = 0
    for word in _CAPITALS.findall(text):
        if word.lower() in vocabulary:
            return True
        loud += len(word) >= 4
    return loud >= 2
