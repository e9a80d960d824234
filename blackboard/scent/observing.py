"""Text to scents (chapter 3, "Observe: text → scent"), by rules, without a model.

Laws:
1. ``observe`` is a function of its arguments: no clock, no memory, no randomness. What a conversation was last about is an argument.
2. No text raises, and none costs more than a text of ``LONGEST`` characters does: patterns run in linear time.
3. A value is a slice of the text, whole; only full-width letters and digits are made ASCII.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Protocol

from blackboard.errors import BadValue
from blackboard.kinds import CONSTRAINT, SLOT, STATE
from blackboard.scent.clauses import Clause, Mark, Reading
from blackboard.scent.emphasis import is_emphatic
from blackboard.scent.folding import clean, folded, is_chinese
from blackboard.scent.rules import Rules, ScentType
from blackboard.scent.settings import commerce
from blackboard.scent.topics import Topics
from blackboard.scent.values import Found, find
from bus.messages.saying import FieldSettings, Scent

LONGEST = 4096
"""Characters of a text that are read: what stands behind them gives no scent."""

EMPHASIS = 1.2
"""By which it multiplies a concentration."""
FURTHER = 0.15
"""What each further directive word adds."""
LEAST, MOST = 0.2, 0.6
"""Of a general statement, which has 0.1 for each entity or verb."""

_start = attrgetter("start")
_DIRECTIVE = frozenset({"request", "standing"})
_COUNTED = frozenset({"verb", "request", "standing", "topic"})
_AND = re.compile(r"(?:[\s,#&、和与及跟]|\b(?:and|or|orders?)\b|订单)*", re.IGNORECASE)
"""What stands between several orders."""


class Entities(Protocol):
    """Which entities something at a place is about, by ``_about``."""

    def __call__(self, place: int, *, ahead: bool) -> list[str | None]: ...


def observe(
    text: str, *, topic: str | None = None, focus: str | None = None, settings: FieldSettings = commerce, rules: Rules | None = None
) -> list[Scent]:
    """The scents of a message, of a system event or of a line of a log, in the order in which it says them.

    :param text: its first ``LONGEST`` characters are read
    :param topic: what the conversation was last about (hotel), for values that name none
    :param focus: the entity (an order) that was last named, for directives, addresses and methods that name none
    :param settings: the field's, whose decay directives and addresses have
    :param rules: those of ``load_rules``; if None, those that are shipped
    :returns: none for a text of blanks
    :raises BadValue: ``rules`` that are none
    """
    if rules is None:
        from blackboard.scent.rules_file import shipped

        rules = shipped()
    elif not isinstance(rules, Rules):
        raise BadValue(f"rules {rules!r:.200} are none: give those of load_rules(path)")
    said = clean(text[:LONGEST])
    if not said or said.isspace():
        return []
    plain = folded(said)
    encoded = plain.encode()
    met = set(rules.meets(encoded))
    types = rules.types
    if not met.isdisjoint(rules.logs):  # a log says nothing that anybody wants
        return [_plain(types["error_log"], settings)]
    emphasis = EMPHASIS if is_emphatic(plain, rules.vocabulary) else 1.0
    if rules.chatter in met:
        return [_plain(types["chatter"], settings, emphasis)]
    reading = Reading(said, encoded, rules, quotes=rules.quoted in met)
    topics = Topics(reading, topic)
    numbers = [number for number in met if number < rules.chatter]
    if topics:
        numbers += (rules.chatter + number for number in rules.meets_of_topics(encoded))
    values = find(reading, rules, numbers, topics)
    entities = [each for each in values if each.type.target == "self" and not each.type.topics]
    about = partial(_about, reading, entities, focus)
    named = rules.topics if values and is_chinese(said) else None
    found = [(each.start, _of_value(each, about, settings, emphasis, named)) for each in values]
    found += _directives(reading, types["directive"], about, settings, emphasis)
    if not found:
        found.append((len(encoded), _general(reading, plain, types["general"], settings, emphasis)))
    spoken = topics.spoken((each.span, each.topic) for each in values)
    found += [(place, _plain(types["topic"], settings, emphasis, each)) for place, each in spoken]
    found.sort(key=itemgetter(0))
    scents, newest = list[Scent](), dict[tuple[str, str | None], Scent]()
    for _, scent in found:
        slot = scent.type, scent.target
        # Once is enough, unless another value was said since: to Leeds – no, to Bath – no, to Leeds.
        if scent not in scents or (scent.kind == SLOT and newest[slot] != scent):
            scents.append(scent)
        newest[slot] = scent
    return scents


def _decay(type_: ScentType, settings: FieldSettings) -> float:
    if type_.group == "address":
        return settings.address
    return settings.directive if type_.group == "directive" else type_.decay


def _plain(type_: ScentType, settings: FieldSettings, emphasis: float = 1.0, target: str | None = None) -> Scent:
    """A scent that carries no value."""
    return Scent(type_.name, min(type_.concentration * emphasis, 1.0), _decay(type_, settings), target)


def _of_value(found: Found, about: Entities, settings: FieldSettings, emphasis: float, chinese: Mapping[str, str] | None) -> Scent:
    """The scent of what a pattern found; in a message that is ``chinese`` by its Chinese label, and topics by these names."""
    type_, value, target = found.type, found.value, found.target
    if target is None and type_.target == "self":
        target = value
    elif target is None and type_.target == "entity":
        (target,) = about(found.start, ahead=False)
    concentration, decay = min(type_.concentration * emphasis, 1.0), _decay(type_, settings)
    if value is None:
        return Scent(found.name, concentration, decay, target)
    topic = found.topic
    if chinese is not None:
        label = chinese[topic] + type_.chinese if topic else type_.chinese
    else:
        label = f"{topic} {type_.label}".capitalize() if topic else type_.label
    content = f"{label} ({target}): {value}" if target and target != value else f"{label}: {value}"
    stated = _several(value, type_) if type_.between else value
    return Scent(found.name, concentration, decay, target, stated, content, SLOT, found.asked)


def _several(value: str, type_: ScentType) -> str | list[str]:
    """A value that may be several: a list, if it is."""
    parts, begin = list[str](), 0
    for match in type_.between.finditer(value):
        parts.append(value[begin : match.start()].strip())
        begin = match.end()
    parts = [part for part in (*parts, value[begin:].strip()) if part]
    return parts if len(parts) > 1 else value


def _directives(reading: Reading, type_: ScentType, about: Entities, settings: FieldSettings, emphasis: float) -> list[tuple[int, Scent]]:
    """What is to be done, and what is to hold."""
    meant: list[tuple[Mark, Clause, bool]] = []
    words = 0
    for clause in reading.clauses:
        offered = clause.asked and not clause.reported and "offer" in clause.roles
        if clause.roles.isdisjoint(_DIRECTIVE) or not (clause.bids or offered):
            continue
        marks = [
            mark
            for mark in clause.marks
            if mark.role in _DIRECTIVE and not clause.has_before(mark.start, "negation", "conditional", "past")
        ]
        words += len(marks)
        forbidden = False
        for mark in marks:
            # What is forbidden is not to be done; and "must" with another verb only says how much that is meant.
            if not (forbidden and mark.role == "request") and not (mark.meaning == "must" and mark is not marks[-1]):
                meant.append((mark, clause, offered))
            forbidden |= mark.meaning == "never"
    concentration = min(min(type_.concentration + FURTHER * (words - 1), 1.0) * emphasis, 1.0)
    found = []
    for mark, clause, asked in meant:
        sentence = reading.slice(*reading.sentences[clause.sentence]).strip()
        kind = CONSTRAINT if mark.role == "standing" else STATE
        targets = about(mark.start, ahead=True)
        decay = _decay(type_, settings)
        found += [(mark.start, Scent("directive", concentration, decay, target, mark.meaning, sentence, kind, asked)) for target in targets]
    return found


def _about(reading: Reading, entities: Sequence[Found], focus: str | None, place: int, *, ahead: bool) -> list[str | None]:
    """The entity that something is about: of its clause the last that is named before or, if ``ahead``, all that are named together behind
    it ("cancel order 1001, 1002 and 1003") or else before it; or the one before; or the focus.
    """
    if not entities:
        return [focus]
    clause = reading.clause_at(place)
    number = bisect_left(entities, place, key=_start)
    before, behind = entities[:number][::-1], entities[number:]
    own_before = bool(before) and before[0].start >= clause.start
    if behind and behind[0].start < clause.end and (ahead or not own_before):
        return [each.value for each in (_together(reading, behind) if ahead else behind[:1])]
    if own_before and ahead:
        return [each.value for each in _together(reading, before)][::-1]
    later = [each for each in behind[:1] if each.start < reading.sentences[clause.sentence][1]]
    return [each.value for each in (*before[:1], *later)][:1] or [focus]


def _together(reading: Reading, entities: Sequence[Found]) -> Iterator[Found]:
    """The first of these, and those that are only parted from it by what stands between several."""
    yield entities[0]
    for one, another in pairwise(entities):
        first, second = sorted((one, another), key=_start)
        if not _AND.fullmatch(reading.text[first.end : second.start].decode()):
            return
        yield another


def _general(reading: Reading, text: str, type_: ScentType, settings: FieldSettings, emphasis: float) -> Scent:
    """A statement of anything else: the more entities and verbs it has, the stronger."""
    count = sum(mark.role in _COUNTED for mark in reading.marks)
    count += sum(word[0].isupper() or word[0].isdigit() for word in text.split()[1:])  # names and numbers
    doubtful = LEAST if all(clause.asked for clause in reading.clauses) else type_.concentration
    base = min((2 + count) / 10, MOST) if count else doubtful
    return Scent(type_.name, min(base * emphasis, 1.0), _decay(type_, settings))
