"""What a text says where: its sentences and clauses, and what the words in them do.

All positions are bytes of the text in UTF-8, since that is what the engine counts in.
"""

from bisect import bisect_right
from typing import Any, NamedTuple

from blackboard.patterns import compiled
from blackboard.scent.rules import QUOTED, Rules

_BREAK = compiled(r"(?:\.{2,}|…+|\.+(?:\s|$)|[!?;。\n]+)|([,，—]|\s-+\s)")
_QUOTED = compiled(QUOTED)


class Mark(NamedTuple):
    """A word that counts."""

    start: int
    end: int
    word: str
    role: str
    meaning: str
    """The canonical verb, or the topic."""


class Clause:
    """A stretch of a sentence that stands for itself."""

    __slots__ = ("asked", "end", "marks", "polite", "reported", "sentence", "start", "willing")

    def __init__(self, start: int, sentence: int) -> None:
        self.start, self.end, self.sentence = start, start, sentence
        self.marks: list[Mark] = []
        self.asked = self.polite = self.willing = self.reported = False

    @property
    def asks(self) -> bool:
        """It asks whether what it says is so."""
        return self.asked and not self.polite

    @property
    def bids(self) -> bool:
        """Its verbs are to be done."""
        return not self.reported and (not self.asked or self.polite or self.willing)

    def denies(self, place: int) -> bool:
        """What stands there is not so, or only supposed."""
        return any(mark.role in ("negation", "conditional") and mark.end <= place for mark in self.marks)


class Reading:
    """A text, read with the words of some rules."""

    def __init__(self, text: bytes, rules: Rules, *, words: bool, quotes: bool) -> None:
        self.quotes = [match.span() for match in _QUOTED.finditer(text)] if quotes else []
        marks = _marks(text, rules) if words else []
        self.marks = [mark for mark in marks if not self.is_quoted(mark.start)] if quotes else marks
        self.clauses: list[Clause] = []
        self.sentences: list[tuple[int, int]] = []
        self._divide(text)
        self._starts = [clause.start for clause in self.clauses]

    def is_quoted(self, place: int) -> bool:
        """Somebody else said it, or it was said another time."""
        return any(start <= place < end for start, end in self.quotes)

    def clause_at(self, place: int) -> Clause:
        """The clause that a place is in."""
        return self.clauses[max(bisect_right(self._starts, place) - 1, 0)]

    def clauses_of(self, start: int, end: int) -> list[Clause]:
        """The clauses that a stretch touches."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        return self.clauses[first : max(bisect_right(self._starts, end - 1), first + 1)]

    def _divide(self, text: bytes) -> None:
        """Clauses end at pauses and before joints, sentences at full stops and the like."""
        abbreviated = {mark.end for mark in self.marks if mark.role == "abbreviation"}
        breaks: list[tuple[int, int, str]] = [(mark.start, mark.start, "joint") for mark in self.marks if mark.role == "joint"]
        for match in _BREAK.finditer(text):
            start, end = match.span()
            if match.start(1) >= 0:
                breaks.append((start, end, "pause"))
            elif start not in abbreviated and start + 1 not in abbreviated:
                breaks.append((start, end, "?" if b"?" in text[start:end] else "."))
        breaks.sort()
        breaks.append((len(text), len(text), "."))
        clause = Clause(0, 0)
        of_sentence: list[Clause] = []
        marks = iter([*self.marks, None])
        mark: Any = next(marks)
        begun = 0
        for start, end, why in breaks:
            while mark is not None and mark.start < start:
                clause.marks.append(mark)
                mark = next(marks)
            if text[clause.start : start].strip():
                clause.end = start
                of_sentence.append(clause)
            if why in "?.":
                if of_sentence:
                    _attitudes(of_sentence, asked=why == "?")
                    self.sentences.append((begun, end))
                    self.clauses += of_sentence
                    of_sentence = []
                begun = end
            clause = Clause(end, len(self.sentences))
        if not self.clauses:
            self.clauses.append(clause)
            self.sentences.append((0, len(text)))


def _marks(text: bytes, rules: Rules) -> list[Mark]:
    marks = []
    for match in rules.word.finditer(text):
        start, end = match.span()
        word = " ".join(text[start:end].decode().lower().split())
        for role, meaning in rules.roles.get(word, ()):
            marks.append(Mark(start, end, word, role, meaning))
    return marks


def _attitudes(clauses: list[Clause], *, asked: bool) -> None:
    """Who asks, who bids, and who tells what others said. What makes a question a request does so for what follows in its sentence."""
    polite = willing = reported = questioned = False
    for clause in clauses:
        roles = {mark.role for mark in clause.marks}
        polite |= "polite" in roles
        willing |= "willing" in roles
        reported |= "reported" in roles
        clause.asked = "question" in roles or (asked and questioned)
        questioned |= "question" in roles
        clause.polite, clause.willing, clause.reported = polite, willing, reported
    last = clauses[-1]
    last.asked |= asked
    if last.asked and any(mark.role == "tag" for mark in last.marks):
        for clause in clauses:
            clause.asked = True
