"""Text to scents (chapter 3, "Observe: text → scent"), by rules, without a model.

Laws:
1. ``observe`` is a function of its arguments: no clock, no memory, no randomness. What a conversation was last about is an argument.
2. No text raises, and none costs more than a text of ``LONGEST`` characters does: patterns run in linear time.
3. A value is a slice of the text, whole; only full-width letters and digits are made ASCII.
"""

from collections.abc import Iterator, Mapping
from operator import itemgetter

from blackboard.errors import BadValue
from blackboard.kinds import SLOT
from blackboard.scent.clauses import Reading
from blackboard.scent.directives import directives
from blackboard.scent.emphasis import is_emphatic
from blackboard.scent.entities import Entities
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

_COUNTED = frozenset({"verb", "request", "standing", "topic"})


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
    entities = Entities(reading, [each for each in values if each.type.names_entity], focus)
    named = rules.topics if values and is_chinese(said) else None
    found = [(each.start, _of_value(each, entities, settings, emphasis, named)) for each in values]
    found += _of_directives(reading, types["directive"], entities, settings, emphasis)
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


def _of_value(found: Found, entities: Entities, settings: FieldSettings, emphasis: float, chinese: Mapping[str, str] | None) -> Scent:
    """The scent of what a pattern found; in a message that is ``chinese`` by its Chinese label, and topics by these names."""
    type_, value, target = found.type, found.value, found.target
    if target is None and type_.target == "self":
        target = value
    elif target is None and type_.target == "entity":
        target = entities.of_value(found.start)
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


def _of_directives(
    reading: Reading, type_: ScentType, entities: Entities, settings: FieldSettings, emphasis: float
) -> Iterator[tuple[int, Scent]]:
    """The scents of what is to be done and to hold, one for each entity that it is about."""
    found, words = directives(reading)
    concentration = min(min(type_.concentration + FURTHER * (words - 1), 1.0) * emphasis, 1.0)
    decay = _decay(type_, settings)
    for place, verb, kind, sentence, asked in found:
        for target in entities.of_directive(place):
            yield place, Scent(type_.name, concentration, decay, target, verb, sentence, kind, asked)


def _general(reading: Reading, text: str, type_: ScentType, settings: FieldSettings, emphasis: float) -> Scent:
    """A statement of anything else: the more entities and verbs it has, the stronger."""
    count = sum(mark.role in _COUNTED for mark in reading.marks)
    count += sum(word[0].isupper() or word[0].isdigit() for word in text.split()[1:])  # names and numbers
    doubtful = LEAST if all(clause.asked for clause in reading.clauses) else type_.concentration
    base = min((2 + count) / 10, MOST) if count else doubtful
    return Scent(type_.name, min(base * emphasis, 1.0), _decay(type_, settings))
