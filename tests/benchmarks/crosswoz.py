"""What a conversation with a traveller comes to, on CrossWOZ: ``python -m tests.benchmarks crosswoz PATH``.

*Given*: the values that each turn states, as they are annotated, go into a conversation of a board and into a field alone. At its end each
slot is recalled: is the last value that was stated the one that stands, is none that it superseded there, and does a fact ask to be
confirmed exactly where it is stale, weak or outside the window?

*From text*: the same with what ``observe`` finds in the user's words alone; topic and focus are the field's. Found is a value of the same
type and, in one spelling, the same characters.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from blackboard.scent import PheromoneField, RecallKernel, Scent, commerce, observe
from blackboard.scent.kernel import STALE
from bus.messages import Fact, Facts, Recall, Scents
from tests.benchmarks.dialogues import SLOTS, TOPICS, Dialogue, Said, Stated, folded, load
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row
from tests.blackboard.driver import Driver

USER = "traveller"
CONCENTRATION, DECAY = 0.7, 0.9
"""Of a value that is given: as those of prices and ratings."""
MANY = 50
"""Facts of one type, more than a dialogue has."""
SURE = ("name", "price", "rating", "duration")
"""The slots that must be found in text."""
TYPES = {f"{topic}_{slot}" for topic in TOPICS.values() for slot in (*SLOTS.values(), "facility")}

Reader = Callable[[Said, PheromoneField], list[Scent]]
"""What a turn says, by the field of what was said before."""
Slot = tuple[str, str | None]
"""Type and target."""


# ---- reading ----------------------------------------------------------------------------------------------------------------------------


def given(said: Said, _: PheromoneField) -> list[Scent]:
    """What the annotation says that a turn states."""
    return [
        Scent(type_, CONCENTRATION, DECAY, target, value, f"{type_}: {value}", "slot")
        for (type_, target), value in values_of(said.stated).items()
    ]


def values_of(stated: Iterable[Stated]) -> dict[Slot, Any]:
    """Slot → its value in one turn; several of one slot are a list."""
    found: dict[Slot, Any] = {}
    for slot, several in groupby(sorted(stated, key=_slot), key=_slot):
        values = list(dict.fromkeys(each.value for each in several))
        type_, target = slot
        found[type_, target or None] = values if len(values) > 1 else values[0]
    return found


def _slot(stated: Stated) -> tuple[str, str]:
    return stated.type, stated.target or ""


def read(said: Said, field: PheromoneField) -> list[Scent]:
    """What its text says, by the rules that come with the parser."""
    return observe(said.text, topic=field.topic, focus=field.focus)


# ---- what stands at the end -------------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Of one slot, at the end of its dialogue."""

    last: str
    """The value that was stated last."""
    former: frozenset[str]
    """Those that it superseded."""
    age: int
    """Turns since then."""
    board: Sequence[Fact]
    field: Sequence[Fact]


def outcomes(dialogues: Iterable[Dialogue], reader: Reader) -> list[Outcome]:
    """Every slot that was stated in any dialogue: each is a conversation of one board, and has a field beside it."""
    board, found = Driver(), list[Outcome]()
    for dialogue in dialogues:
        field, stated = PheromoneField(), dict[Slot, list[tuple[int, str]]]()
        for turn, said in enumerate(dialogue.said, 1):
            scents = reader(said, field)
            field.release(scents)
            board.say(USER, Scents(tuple(scents), dialogue.name))
            for (type_, target), value in values_of(said.stated).items():
                stated.setdefault((type_, target), []).append((turn, spelled(value)))
        assert not board.refusals(USER), board.refusals(USER)
        for (type_, target), history in stated.items():
            turn, last = history[-1]
            on_board = board.ask(USER, Recall(type_, dialogue.name, MANY))
            assert isinstance(on_board, Facts)
            alone = RecallKernel(field).recall(type_, MANY)
            found.append(
                Outcome(
                    last,
                    frozenset(value for _, value in history) - {last},
                    field.round - turn,
                    _about(on_board, target, dialogue.name),
                    _about(alone, target, None),
                )
            )
    return found


def _about(facts: Facts, target: str | None, otherwise: str | None) -> list[Fact]:
    return [fact for fact in facts if fact.target == (target or otherwise)]


def spelled(value: Any) -> str:
    """A value, or several, in one spelling."""
    return "、".join(sorted(map(folded, value))) if isinstance(value, list | tuple) else folded(value)


def standing(found: Sequence[Outcome], facts: Callable[[Outcome], Sequence[Fact]]) -> tuple[float, int]:
    """The share of slots whose last value is recalled, in percent, and how many outdated ones are."""
    right = sum(any(spelled(fact.value) == each.last for fact in facts(each)) for each in found)
    outdated = sum(spelled(fact.value) in each.former for each in found for fact in facts(each))
    return 100 * right / max(len(found), 1), outdated


def asks_rightly(outcome: Outcome) -> bool:
    """Is there a fact, and does each ask to be confirmed if it is stale, weak or outside the window, and else not?"""
    return len(outcome.board) > 0 and all(
        fact.staleness == outcome.age
        and fact.confirm == (outcome.age >= STALE or outcome.age > commerce.window or fact.confidence < commerce.min_concentration)
        for fact in outcome.board
    )


# ---- what is found in text --------------------------------------------------------------------------------------------------------------


class Counted(NamedTuple):
    """Values by type: how many were stated, how many were found, and how many of these were stated."""

    stated: Counter[str]
    found: Counter[str]
    right: Counter[str]

    def recall(self, types: Iterable[str]) -> float:
        """Of what was stated of these types, what was found: percent."""
        return _share(self.right, self.stated, types)

    def precision(self, types: Iterable[str]) -> float:
        """Of what was found, what was stated: percent."""
        return _share(self.right, self.found, types)


def _share(part: Counter[str], whole: Counter[str], types: Iterable[str]) -> float:
    types = list(types)
    return 100 * sum(part[each] for each in types) / max(sum(whole[each] for each in types), 1)


def counted(dialogues: Iterable[Dialogue]) -> Counted:
    """What the parser finds in all turns."""
    stated, found, right = Counter[str](), Counter[str](), Counter[str]()
    for dialogue in dialogues:
        field = PheromoneField()
        for said in dialogue.said:
            scents = read(said, field)
            field.release(scents)
            wanted = {(each.type, folded(each.value)) for each in said.stated}
            got = {
                (scent.type, folded(value))
                for scent in scents
                if scent.type in TYPES and not scent.asked
                for value in (scent.value if isinstance(scent.value, list) else [scent.value])
            }
            stated.update(type_ for type_, _ in wanted)
            found.update(type_ for type_, _ in got)
            right.update(type_ for type_, _ in wanted & got)
    return Counted(stated, found, right)


def rows(path: Path, _: Sizes) -> list[Row]:
    """All figures."""
    dialogues = load(path)
    return [*_rows_given(dialogues), *_rows_read(dialogues)]


def _rows_given(dialogues: Sequence[Dialogue]) -> list[Row]:
    found = outcomes(dialogues, given)
    note = f"{len(found)} slots of {len(dialogues)} dialogues, {sum(bool(each.former) for each in found)} of them changed"
    right, outdated = standing(found, lambda each: each.board)
    within, of_field = standing(found, lambda each: each.field)
    confirm = 100 * sum(map(asks_rightly, found)) / max(len(found), 1)
    return [
        Row("given: the last value stands on the board", "%", (right,), 99.0, least=True, note=note),
        Row("given: outdated values recalled from the board", "", (float(outdated),), 0.0),
        Row("given: asks to be confirmed exactly where it must", "%", (confirm,), 100.0, least=True),
        Row(
            "given: the last value is recalled from a field alone",
            "%",
            (within,),
            least=True,
            note="the others are outside its window, or weak",
        ),
        Row("given: outdated values recalled from a field alone", "", (float(of_field),), 0.0),
    ]


def _rows_read(dialogues: Sequence[Dialogue]) -> list[Row]:
    count = counted(dialogues)
    sure = sorted(each for each in TYPES if each.partition("_")[2] in SURE)
    found = [
        Row("from text: names, prices, ratings, durations found", "%", (count.recall(sure),), 80.0, least=True),
        Row("from text: what of these is right", "%", (count.precision(sure),), 85.0, least=True),
        Row("from text: all slots found", "%", (count.recall(TYPES),), least=True),
        Row("from text: what of all is right", "%", (count.precision(TYPES),), least=True),
    ]
    types = sorted(count.stated | count.found)
    of_topics = {topic: [each for each in types if each.partition("_")[0] == topic] for topic in TOPICS.values()}
    for name, several in (*of_topics.items(), *((each, [each]) for each in types)):
        note = f"{count.precision(several):.1f} % right; {sum(count.stated[each] for each in several)} stated"
        found.append(Row(f"from text: {name} found", "%", (count.recall(several),), least=True, note=note))
    ends = outcomes(dialogues, read)
    right, outdated = standing(ends, lambda each: each.board)
    within, of_field = standing(ends, lambda each: each.field)
    return [
        *found,
        Row("from text: the last value stands on the board", "%", (right,), least=True),
        Row("from text: slots whose outdated value does", "%", (100 * outdated / max(len(ends), 1),)),
        Row("from text: the last value is recalled from a field alone", "%", (within,), least=True),
        Row("from text: slots whose outdated value is", "%", (100 * of_field / max(len(ends), 1),)),
    ]
