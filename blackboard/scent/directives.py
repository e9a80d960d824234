"""What a message wants done, and what it wants to hold (chapter 3, "Observe": directives)."""

from typing import NamedTuple

from blackboard.kinds import CONSTRAINT, STATE
from blackboard.scent.clauses import Reading

_ROLES = frozenset({"request", "standing"})


class Directive(NamedTuple):
    """One thing that is to be done, or to hold."""

    place: int
    """Of its verb."""
    verb: str
    """The canonical one: *cancel*, *never*."""
    kind: str
    """Of the item that comes of it: a request is a *state*, a standing rule a *constraint*."""
    sentence: str
    asked: bool
    """It is offered, and counts once it is taken."""


def directives(reading: Reading) -> tuple[list[Directive], int]:
    """All of a text, in order; and how many words say so: some only say how much another is meant."""
    found, words = list[Directive](), 0
    for clause in reading.clauses:
        offered = clause.asked and not clause.reported and "offer" in clause.roles
        if clause.roles.isdisjoint(_ROLES) or not (clause.bids or offered):
            continue
        marks = [mark for mark in clause.marks if mark.role in _ROLES]
        marks = [mark for mark in marks if not clause.has_before(mark.start, "negation", "conditional", "past")]
        words += len(marks)
        forbidden = False
        for mark in marks:
            # What is forbidden is not to be done; and "must" with another verb only says how much that is meant.
            if not (forbidden and mark.role == "request") and not (mark.meaning == "must" and mark is not marks[-1]):
                sentence = reading.slice(*reading.sentences[clause.sentence]).strip()
                kind = CONSTRAINT if mark.role == "standing" else STATE
                found.append(Directive(mark.start, mark.meaning, kind, sentence, offered))
            forbidden |= mark.meaning == "never"
    return found, words
