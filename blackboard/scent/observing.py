"""Text to scents (chapter 3, "Observe: text → scent"), by rules, without a model.

Laws:
1. ``observe`` is a function of its arguments: no clock, no memory, no randomness. What a conversation was last about is an argument.
2. No text raises, and none costs more than a text of ``LONGEST`` characters does: patterns run in linear time.
3. A value is a slice of the text, whole; only full-width letters and digits are made ASCII.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blackboard.scent.clauses import Clause, Mark, Reading
from blackboard.scent.emphasis import is_emphatic
from blackboard.scent.rules import Pattern, Rules, ScentType
from bus.messages.saying import FieldSettings, Scent

LONGEST = 4096
"""Characters of a text that are read: what stands behind them gives no scent."""

EMPHASIS = 1.2
FURTHER = 0.15
"""What each further directive word adds."""
LEAST, EACH, MOST = 0.2, 0.1, 0.6
"""Of a general statement, and for each entity or verb that it has."""
DOUBT = 0.3

_LETTERS = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_LETTERS |= dict.fromkeys((*range(9), 9, *range(11, 32), 127, *range(0x80, 0xA0), 0x3000, 0xA0), 32) | dict.fromkeys(
    range(0xD800, 0xE000), 0xFFFD
)
_LETTERS |= {0xFF03: ord("#")}
_PUNCTUATION = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x2019: ord("'"), 0xFF0D: ord("-"), 0x2212: ord("-")}

_COMMERCE = FieldSettings()


class _Value(NamedTuple):
    """What a pattern found."""

    start: int
    """Where the match begins, then the value itself."""
    value_start: int
    value_end: int
    type: ScentType
    name: str
    topic: str | None
    target: str | None
    value: str | None
    asked: bool


def observe(
    text: str, *, topic: str | None = None, focus: str | None = None, settings: FieldSettings = _COMMERCE, rules: Rules | None = None
) -> list[Scent]:
    """The scents of a message, of a system event or of a line of a log, in the order in which it says them.

    :param text: the first ``LONGEST`` characters are read
    :param topic: what the conversation was last about (hotel), for values that name none
    :param focus: the entity (an order) that was last named, for directives, addresses and methods that name none
    :param settings: the field's, whose decay directives and addresses have
    :param rules: of ``load_rules``; those that are shipped if none
    :returns: none for a text of blanks
    """
    if rules is None:
        from blackboard.scent.rules_file import shipped

        rules = shipped()
    said = text[:LONGEST].translate(_LETTERS)
    if not said.strip():
        return []
    folded = said.translate(_PUNCTUATION)
    return _Message(said, folded, rules, settings, topic, focus).scents()


class _Message:
    """One text that is read."""

    def __init__(self, said: str, folded: str, rules: Rules, settings: FieldSettings, topic: str | None, focus: str | None) -> None:
        self.said, self.folded, self.rules, self.settings, self.topic, self.focus = said, folded, rules, settings, topic, focus
        self.bytes = folded.encode()

    def scents(self) -> list[Scent]:
        rules = self.rules
        met = set(rules.meets(self.bytes))
        if rules.chatter in met:
            return [self.plain("chatter")]
        patterns = [rules.patterns[number] for number in sorted(met) if number < len(rules.patterns)]
        for pattern in patterns:
            if pattern.type.name == "error_log":
                return [self.plain("error_log", emphasis=1.0)]
        self.reading = Reading(self.bytes, rules, words=rules.said in met, quotes=rules.quoted in met)
        self.emphasis = EMPHASIS if is_emphatic(self.folded, rules.vocabulary) else 1.0
        self.values = self.find_values(patterns)
        self.entities = [each for each in self.values if each.type.target == "self"]
        found = [(each.start, self.value(each)) for each in self.values]
        found += self.directives()
        found += self.topics()
        if not any(scent.type != "topic" for _, scent in found):
            found.append((len(self.bytes), self.general()))
        found.sort(key=lambda each: each[0])
        scents: list[Scent] = []
        for _, scent in found:
            if scent not in scents:
                scents.append(scent)
        return scents

    def plain(self, name: str, *, emphasis: float | None = None, concentration: float | None = None, target: str | None = None) -> Scent:
        """A scent that carries no value."""
        type_ = self.rules.types[name]
        if emphasis is None:
            emphasis = EMPHASIS if is_emphatic(self.folded, self.rules.vocabulary) else 1.0
        base = type_.concentration if concentration is None else concentration
        return Scent(name, min(base * emphasis, 1.0), self.decay(type_), target)

    def decay(self, type_: ScentType) -> float:
        if type_.group == "address":
            return self.settings.address
        return self.settings.directive if type_.group == "directive" else type_.decay

    def slice(self, start: int, end: int) -> str:
        """What was said from one byte to another."""
        first = len(self.bytes[:start].decode())
        return self.said[first : first + len(self.bytes[start:end].decode())]

    def find_values(self, patterns: Sequence[Pattern]) -> list[_Value]:
        """What the patterns find; of several that claim one stretch, whose match begins first, then the longer, then the later rule."""
        matches = []
        for number, pattern in enumerate(patterns):
            for match in pattern.regex.finditer(self.bytes):
                start, end = match.span()
                if start < end and not self.reading.is_quoted(start):
                    matches.append((start, -end, -number, pattern, match))
        matches.sort(key=lambda each: each[:3])
        found: list[_Value] = []
        taken: list[tuple[int, int]] = []
        last: dict[str, ScentType] = {}
        for start, end, _, pattern, match in matches:
            value_start, value_end = match.span(pattern.value) if pattern.value else (start, -end)
            clauses = self.reading.clauses_of(start, max(value_end, start + 1))
            type_ = pattern.type
            if pattern.correction and type_.group in last:
                type_ = last[type_.group]
            if clauses[0].denies(start) or any(begin < value_end and value_start < stop for begin, stop in taken):
                continue
            asked = not type_.stated and any(clause.asks for clause in clauses)
            value = None
            if pattern.value:
                trimmed = self.trimmed(value_start, value_end)
                if trimmed is None:
                    continue
                value_start, value_end, value = trimmed
                value = value.upper() if type_.upper else value
            elif asked:
                continue
            topic = self.topic_of(type_, value_start, clauses[0]) if type_.topics else None
            if type_.topics and topic is None:
                continue
            taken.append((value_start, value_end))
            target = self.slice(*match.span(pattern.target)) if pattern.target and match.span(pattern.target)[0] >= 0 else None
            if type_.group is not None:
                last[type_.group] = type_
            name = f"{topic}_{type_.name}" if topic else type_.name
            found.append(_Value(start, value_start, value_end, type_, name, topic, target, value, asked))
        return found

    def trimmed(self, start: int, end: int) -> tuple[int, int, str] | None:
        """A value without what stands around it; None if it only points to one."""
        if start < 0:
            return None
        said = self.bytes[start:end]
        behind = self.rules.trailing.search(said)
        if behind:
            said = said[: behind.start()]
        bare = said.strip(b" \"'\n,.:;!?-*")
        for mark in ("“", "”", "「", "」", "『", "』", "。", "、"):
            bare = bare.removeprefix(mark.encode()).removesuffix(mark.encode())
        if not bare or bare.decode().lower() in self.rules.pointing:
            return None
        begin = start + said.find(bare)
        return begin, begin + len(bare), self.slice(begin, begin + len(bare))

    def topic_of(self, type_: ScentType, place: int, clause: Clause) -> str | None:
        """The topic whose slot a value is of: its clause's, the nearer the better; then the one named last; then the conversation's."""
        named = [mark for mark in self.reading.marks if mark.role == "topic" and mark.meaning in type_.topics]
        here = [mark for mark in named if clause.start <= mark.start < clause.end]
        if here:
            return min(here, key=lambda mark: abs(mark.start - place)).meaning
        before = [mark for mark in self.reading.marks if mark.role == "topic" and mark.start < place]
        if before and before[-1].meaning in type_.topics:
            return before[-1].meaning
        return self.topic if self.topic in type_.topics else None

    def value(self, each: _Value) -> Scent:
        """The scent of what a pattern found."""
        type_ = each.type
        target = each.target
        if target is None and type_.target == "self":
            target = each.value
        elif target is None and type_.target == "entity":
            target = self.entity_of(each.value_start, ahead=False)
        concentration = min(type_.concentration * self.emphasis, 1.0)
        decay = self.decay(type_)
        if each.value is None:
            return Scent(each.name, concentration, decay, target, asked=each.asked)
        label = f"{each.topic} {type_.label}" if each.topic else type_.label
        beside = f" ({target})" if target and target != each.value else ""
        return Scent(each.name, concentration, decay, target, each.value, f"{label}{beside}: {each.value}", type_.kind, each.asked)

    def entity_of(self, place: int, *, ahead: bool) -> str | None:
        """The entity that something is about: its clause's next or, if not ``ahead``, last; else the one named last; else the focus."""
        clause = self.reading.clause_at(place)
        before = [each for each in self.entities if each.value_start < place]
        behind = [each for each in self.entities if each.value_start >= place]
        own_before = before[-1:] if before and before[-1].value_start >= clause.start else []
        own_behind = behind[:1] if behind and behind[0].value_start < clause.end else []
        sentence = self.reading.sentences[clause.sentence]
        later = behind[:1] if behind and behind[0].value_start < sentence[1] else []
        choice = (own_behind + own_before if ahead else own_before + own_behind) + before[-1:] + later
        return choice[0].value if choice else self.focus

    def directives(self) -> list[tuple[int, Scent]]:
        """What is to be done, and what is to hold."""
        type_ = self.rules.types["directive"]
        meant: list[tuple[Mark, Clause, bool]] = []
        for clause in self.reading.clauses:
            ruled = False
            for mark in clause.marks:
                if mark.role not in ("request", "standing") or not clause.bids or clause.denies(mark.start):
                    continue
                meant.append((mark, clause, mark.role == "request" and ruled))
                ruled |= mark.role == "standing" and mark.meaning == "never"
        concentration = min(min(type_.concentration + FURTHER * (len(meant) - 1), 1.0) * self.emphasis, 1.0)
        found = []
        for mark, clause, object_of_rule in meant:
            if object_of_rule:
                continue
            sentence = self.slice(*self.reading.sentences[clause.sentence]).strip()
            target = self.entity_of(mark.start, ahead=True)
            kind = "constraint" if mark.role == "standing" else "state"
            found.append((mark.start, Scent("directive", concentration, self.decay(type_), target, mark.meaning, sentence, kind)))
        return found

    def topics(self) -> list[tuple[int, Scent]]:
        return [(mark.start, self.plain("topic", target=mark.meaning)) for mark in self.reading.marks if mark.role == "topic"]

    def general(self) -> Scent:
        """A statement of anything else: the more entities and verbs, the stronger."""
        count = sum(mark.role in ("verb", "request", "standing", "topic") for mark in self.reading.marks)
        count += sum(word[:1].isupper() or word[:1].isdigit() for word in self.folded.split()[1:])
        if count:
            return self.plain("general", concentration=min(LEAST + EACH * count, MOST))
        asks = all(clause.asked for clause in self.reading.clauses)
        return self.plain("general", concentration=LEAST if asks else DOUBT)
