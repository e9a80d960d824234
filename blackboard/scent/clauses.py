"""What a text says where: its sentences and clauses, and what the words in them do.

All positions are bytes of the text in UTF-8, since that is what the engine counts in.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from blackboard.patterns import compiled
from blackboard.scent.rules import QUOTED, Rules

# Python's own engine, which is the quickest where there is nothing to go back for: signs of ASCII, then 。 … — and a dash.
_BREAK = re.compile(rb"[.!?;\n,]+|\xe3\x80\x82|\xe2\x80[\xa6\x94]| -+ ")
_VERBS = frozenset({"verb", "request", "standing"})
_PAUSES = frozenset(b", -\xe2\x80\x94")
_QUOTED = compiled(QUOTED)


class Mark(NamedTuple):
    """A word that counts."""

    start: int
    end: int
    role: str
    meaning: str
    """The canonical verb, or the topic."""


class Clause:
    """A stretch of a sentence that stands for itself."""

    __slots__ = ("asked", "end", "marks", "polite", "reported", "roles", "sentence", "start", "willing")

    def __init__(self, start: int, end: int, sentence: int, marks: list[Mark]) -> None:
        self.start, self.end, self.sentence, self.marks = start, end, sentence, marks
        self.roles = {mark.role for mark in marks}
        self.asked = self.polite = self.willing = self.reported = False

    @property
    def asks(self) -> bool:
        """It asks whether what it says is so."""
        return self.asked and not self.polite

    @property
    def bids(self) -> bool:
        """Its verbs are to be done."""
        return not self.reported and (not self.asked or self.polite or self.willing)

    def has_before(self, place: int, *roles: str) -> bool:
        """A word of such a role stands before that place."""
        return not self.roles.isdisjoint(roles) and any(mark.role in roles and mark.end <= place for mark in self.marks)

    def denies(self, place: int, *, named: bool) -> bool:
        """What stands there is not so, or not to be. Who does not want to cancel an order names it all the same: of what is only ``named``
        a verb between them has the negation.
        """
        roles = ["negation" if mark.meaning == "never" else mark.role for mark in self.marks if mark.end <= place]
        if "negation" not in roles:
            return False
        return not named or _VERBS.isdisjoint(roles[len(roles) - roles[::-1].index("negation") :])


class Reading:
    """A text, read with the words of some rules.

    :param said: as it was said
    :param text: the same in UTF-8, punctuation folded, character for character
    :param quotes: it has quotations
    """

    def __init__(self, said: str, text: bytes, rules: Rules, *, quotes: bool) -> None:
        self.said, self.text = said, text
        self._quoted = _covered(text) if quotes else None
        marks = _marks(text, rules)
        self.marks = [mark for mark in marks if not self.is_quoted(mark.start)] if quotes else marks
        self.clauses: list[Clause] = []
        self.sentences: list[tuple[int, int]] = []
        self._divide()
        self._starts = [clause.start for clause in self.clauses]

    def slice(self, start: int, end: int) -> str:
        """What was said from one byte to another."""
        if len(self.said) == len(self.text):
            return self.said[start:end]
        first = len(self.text[:start].decode())
        return self.said[first : first + len(self.text[start:end].decode())]

    def is_quoted(self, place: int) -> bool:
        """Somebody else said it, or it was said another time."""
        return self._quoted is not None and self._quoted[place] == 1

    def clause_at(self, place: int) -> Clause:
        """The clause that a place is in."""
        return self.clauses[max(bisect_right(self._starts, place) - 1, 0)]

    def clauses_of(self, start: int, end: int) -> list[Clause]:
        """The clauses that a stretch touches, which is not empty."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        return self.clauses[first : max(bisect_right(self._starts, end - 1), first + 1)]

    def _breaks(self) -> list[tuple[int, int, str]]:
        """Where clauses end, and why: *?* or *.* a sentence does, too."""
        breaks = []
        abbreviated = {mark.end for mark in self.marks if mark.role == "abbreviation"}
        text = self.text
        for match in _BREAK.finditer(text):
            start, end = match.span()
            sign = match[0]
            if _PAUSES.issuperset(sign):
                breaks.append((start, end, ","))
            elif b"?" in sign:
                breaks.append((start, end, "?"))
            elif sign != b"." or (text[end : end + 1].strip() == b"" and end not in abbreviated):  # else it is within a number, or a name
                breaks.append((start, end, "."))
        joints = [(mark.start, mark.start, ",") for mark in self.marks if mark.role == "joint"]
        return sorted(breaks + joints) if joints else breaks

    def _divide(self) -> None:
        size = len(self.text)
        begun = first = at = 0  # of the sentence, the clause, and the number of the next mark
        of_sentence: list[Clause] = []
        for start, end, why in (*self._breaks(), (size, size, ".")):
            before = at
            while at < len(self.marks) and self.marks[at].start < start:
                at += 1
            if self.text[first:start].strip():
                of_sentence.append(Clause(first, start, len(self.sentences), self.marks[before:at]))
            if why != "," and of_sentence:
                self._end_sentence(of_sentence, asked=why == "?")
                self.sentences.append((begun, end))
                of_sentence = []
            if why != ",":
                begun = end
            first = end
        if not self.clauses:
            self.clauses.append(Clause(0, size, 0, self.marks))
            self.sentences.append((0, size))

    def _end_sentence(self, clauses: Sequence[Clause], *, asked: bool) -> None:
        """Who asks, who bids, and who tells what others said; what makes a question a request does so for the rest of its sentence."""
        polite = willing = reported = questioned = False
        for clause in clauses:
            roles = clause.roles
            if roles:
                polite |= "polite" in roles
                willing |= "willing" in roles
                reported |= "reported" in roles
                clause.asked = "question" in roles
                questioned |= clause.asked
            clause.asked |= asked and questioned
            clause.polite, clause.willing, clause.reported = polite, willing, reported
        last = clauses[-1]
        last.asked |= asked
        if last.asked and "tag" in last.roles:
            self._ask_of(clauses)
        self.clauses += clauses

    def _ask_of(self, clauses: Sequence[Clause]) -> None:
        """What ends in a tag asks about its sentence, and what is nothing but a tag about the one before."""
        last = clauses[-1]
        tag = next((mark for mark in last.marks if mark.role == "tag" and not self.text[mark.end : last.end].strip()), None)
        if tag is None:
            return
        for clause in clauses:
            clause.asked = True
        if len(clauses) == 1 and not self.text[last.start : tag.start].strip():
            for clause in takewhile(lambda clause: clause.sentence == last.sentence - 1, reversed(self.clauses)):
                clause.asked = True


def _covered(text: bytes) -> bytearray:
    """1 for each byte that is quoted."""
    covered = bytearray(len(text))
    for match in _QUOTED.finditer(text):
        start, end = match.span()
        covered[start:end] = b"\1" * (end - start)
    return covered


def _marks(text: bytes, rules: Rules) -> list[Mark]:
    marks = []
    roles = rules.roles
    for match in rules.word.finditer(text):
        start, end = match.span()
        word = text[start:end].decode().lower()
        for role, meaning in roles.get(word) or roles.get(" ".join(word.split()), ()):
            marks.append(Mark(start, end, role, meaning))
    return marks
