"""The field of one conversation: which scents were released of late, how strong they are now, and what they are about (chapter 3).

Laws:

- A round is a turn. Each scent decays by its own factor each round since it was released; its concentration is never above 1.
- Bounded, whatever comes: ``max_rounds`` rounds, of each type and round the strongest ``STRONGEST`` scents, of each round the strongest
  ``ROUND``; beside them ``CORE`` values of core types, which never decay.
- What was superseded never comes back: if a slot's newest scent has to go, the older ones of the slot go, too.
- Deterministic: no clock, no chance. ``restore(dump())`` goes on exactly as the original.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Self

from msgspec.structs import replace

from blackboard.errors import BadValue
from blackboard.kinds import STATE
from blackboard.scent.observing import observe
from blackboard.scent.rules import Rules
from blackboard.scent.settings import check, commerce, validated
from blackboard.scent.superposition import superpose
from blackboard.scent.traces import (
    CHATTER,
    CONFIRMATION,
    CONTINUATION,
    ORDER,
    TOPIC,
    About,
    Change,
    FieldState,
    Snapshot,
    Trace,
    named_by,
    says,
    slot_of,
    strongest,
)
from blackboard.scent.wildcards import matches_any
from bus.messages import FieldSettings, Scent

STRONGEST = 16
"""Scents of a type and round."""
ROUND = 128
"""Scents of a round."""
CORE = 64
"""Values of core types."""
ANSWERABLE = 64
"""Scents of a message that an answer may confirm."""
DILUTED = 0.7
"""By which the concentration of a type that the governor holds down is multiplied."""
TIRED = 0.8
"""By which the decay factor of chatter is multiplied from its second repetition on."""


class PheromoneField:
    """What one conversation is about, in bounded memory.

    ``settings`` may be assigned at any time, unusual ones without a word; what was released keeps its decay.

    :raises BadValue: settings that cannot be; for unusual ones there is a warning (``UnusualSettings``)
    """

    def __init__(self, settings: FieldSettings = commerce) -> None:
        self._settings = validated(settings)
        self.round = 0
        self.task: str | None = None
        self.about = About()
        self.diluted = set[str]()
        """The types that a governor holds down."""
        self._number = 0
        self._rounds: dict[int, dict[str, list[Trace]]] = {}
        self._core: dict[tuple[str, str | None], Trace] = {}
        self._pending: tuple[Scent, ...] = ()

    # ---- what it is about ---------------------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> FieldSettings:
        """How it behaves."""
        return self._settings

    @settings.setter
    def settings(self, settings: FieldSettings) -> None:
        if settings != self._settings:
            check(settings)
            self._settings = settings
            self._keep(lambda scent: scent)

    @property
    def topic(self) -> str | None:
        """What was last spoken about: *hotel*."""
        return named_by(self.about.topic) if self.about.topic else None

    @property
    def focus(self) -> str | None:
        """The entity that was last named: an order."""
        return named_by(self.about.focus) if self.about.focus else None

    # ---- releasing ----------------------------------------------------------------------------------------------------------------------

    def release(self, scents: Sequence[Scent], *, turn: bool = True, brought: Snapshot | None = None) -> list[Scent]:
        """Release the scents of one message, and return what was released, in order.

        ``turn``: it begins a round; else (a reply, a line of a log) it belongs to the one that runs, and a request in it is an offer, as
        asked: the user alone says what is to be done. What was asked waits for an answer and is not among what was released. In the place
        of a *confirmation* stands what the message before asked or stated; in the place of a *continuation* stands ``brought``, what a
        governor brings back. Neither brings a value for a slot that the message itself fills.

        :raises BadValue: a concentration or a decay that is not from 0 to 1; nothing is released then
        """
        for scent in scents:
            if not (0 <= scent.concentration <= 1 and 0 <= scent.decay <= 1):
                raise BadValue(f"{scent} has a concentration or a decay that is not from 0 to 1")
        if not turn:
            scents = [replace(scent, asked=True) if scent.kind == STATE else scent for scent in scents]
        else:
            self.round += 1
            self._rounds.pop(self.round - self._settings.max_rounds, None)
        if brought is not None:
            self.task, self.about = self.task or brought.task or None, brought.about
        released, said = list[Scent](), list[Scent]()
        for scent in scents:
            if scent.type == CONFIRMATION:
                released += [self._put(each) for each in _besides(scents, self._pending)]
                self._pending = ()
            elif scent.type == CONTINUATION:
                back = _besides(scents, brought.scents if brought else ())
                released += [self._put(each, bridged=True) for each in back]
                said += back
            else:
                if not scent.asked:
                    released.append(self._put(scent))
                if says(scent):
                    said.append(scent)
        self._bound(self.round)
        if turn or said:  # a line between that says nothing does not stand between a question and its answer
            self._pending = tuple(replace(scent, asked=False) if scent.asked else scent for scent in said[-ANSWERABLE:])
        return released

    def observe(self, text: str, *, rules: Rules | None = None, turn: bool = True) -> list[Scent]:
        """Release the scents of a text; what it does not name itself is of the field's topic and focus. ``rules``: as for ``observe``."""
        return self.release(self.scents_of(text, rules=rules), turn=turn)

    def scents_of(self, text: str, *, rules: Rules | None = None) -> list[Scent]:
        """The scents of a text, as the field would read it now; none is released."""
        return observe(text, topic=self.topic, focus=self.focus, settings=self._settings, rules=rules)

    def _put(self, scent: Scent, *, bridged: bool = False) -> Scent:
        """Keep it as of now. Returns it as it was released."""
        if scent.type == CHATTER and self._had(CHATTER, self.round - 1) and self._had(CHATTER, self.round - 2):
            scent = replace(scent, decay=scent.decay * TIRED)
        if scent.type == TOPIC and not bridged:
            self.about = replace(self.about, topic=scent)
        elif scent.type == ORDER and not bridged:
            self.about = replace(self.about, focus=scent)
        self._number += 1
        self._add(Trace(scent, self.round, self._number, bridged and not self.is_core(scent.type)))
        return scent

    def _had(self, type_: str, round_: int) -> bool:
        return type_ in self._rounds.get(round_, ())

    def _add(self, trace: Trace) -> None:
        """Keep a trace that is newer than all that are there."""
        type_ = trace.scent.type
        if self.is_core(type_):
            slot = (type_, trace.scent.target)
            self._core.pop(slot, None)
            self._core[slot] = trace
            if len(self._core) > CORE:
                del self._core[next(iter(self._core))]
            return
        self._rounds.setdefault(trace.round, {}).setdefault(type_, []).append(trace)

    def _bound(self, round_: int) -> None:
        """Keep the strongest of a round."""
        types = self._rounds.get(round_, {})
        for type_ in [type_ for type_, traces in types.items() if len(traces) > STRONGEST]:
            self._thin(round_, types[type_], STRONGEST)
        if sum(map(len, types.values())) > ROUND:
            self._thin(round_, sorted(chain.from_iterable(types.values()), key=_number), ROUND)

    def _thin(self, round_: int, traces: Sequence[Trace], limit: int) -> None:
        """Keep the strongest of these, which are of one round; and of a slot whose newest goes nothing, lest an older value stand again."""
        kept = strongest(traces, limit)
        gone = {trace.number for trace in traces} - {trace.number for trace in kept}
        lost = {slot_of(trace.scent) for trace in traces} - {slot_of(trace.scent) for trace in kept} - {None}
        for at, types in self._rounds.items():
            if at == round_ or (lost and at < round_):
                for type_ in {trace.scent.type for trace in traces} & types.keys():
                    types[type_] = [trace for trace in types[type_] if trace.number not in gone and slot_of(trace.scent) not in lost]
                    if not types[type_]:
                        del types[type_]

    # ---- reading ------------------------------------------------------------------------------------------------------------------------

    def is_core(self, type_: str) -> bool:
        """Does it never decay?"""
        return matches_any(type_, self._settings.core)

    @property
    def types(self) -> list[str]:
        """Of which there are scents, by name."""
        names = {type_ for types in self._rounds.values() for type_ in types}
        return sorted(names.union(type_ for type_, _ in self._core))

    def traces(self, type_: str) -> Iterator[Trace]:
        """Those of a type, the newest first."""
        if self.is_core(type_):
            yield from (trace for trace in reversed(self._core.values()) if trace.scent.type == type_)
        else:
            for types in reversed(self._rounds.values()):
                yield from reversed(types.get(type_, ()))

    def staleness(self, trace: Trace) -> int:
        """Rounds since it was released; of the core always 0."""
        return 0 if self.is_core(trace.scent.type) else self.round - trace.round

    def strength(self, trace: Trace) -> float:
        """The concentration of one scent now: 0…1."""
        return trace.scent.concentration * trace.scent.decay ** self.staleness(trace)

    def concentration(self, type_: str) -> float:
        """All scents of a type superposed, each decayed by its own factor; diluted, if the governor holds the type down. May be above 1."""
        together = superpose((self.strength(trace) for trace in self.traces(type_)), self._settings.sharpness)
        return together * DILUTED if type_ in self.diluted else together

    def concentrations(self) -> dict[str, float]:
        """Type → its concentration, the strongest first."""
        found = {type_: self.concentration(type_) for type_ in self.types}
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def sums(self) -> dict[str, float]:
        """Type → the plain sum of its scents' concentrations now, not diluted."""
        sums = dict[str, float]()
        for round_, types in self._rounds.items():
            age = self.round - round_
            for type_, traces in types.items():
                total = sums.get(type_, 0.0)
                for trace in traces:
                    scent = trace.scent
                    total += scent.concentration * scent.decay**age
                sums[type_] = total
        for (type_, _), trace in self._core.items():
            sums[type_] = sums.get(type_, 0.0) + trace.scent.concentration
        return sums

    # ---- changing what is there ---------------------------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Forget all but the core: another task begins."""
        self._rounds = {}
        self._pending = ()
        self.task, self.about = None, About()
        self.diluted = set()

    def forget(self, gone: Callable[[Scent], bool]) -> None:
        """Drop what is gone from all that is kept."""
        self._keep(lambda scent: None if gone(scent) else scent)

    def rename(self, old: str, new: str) -> None:
        """Let every scent of the type ``old`` be one of ``new``."""
        if old in self.diluted:
            self.diluted = self.diluted | {new}
        self._keep(lambda scent: replace(scent, type=new) if scent.type == old else scent)

    def _keep(self, change: Change) -> None:
        """Let each scent become what it is changed to. Of a slot whose newest scent goes nothing stays, lest an older value stand again."""
        oldest = self.round - self._settings.max_rounds
        stays, kept = dict[tuple[str, str | None], bool](), list[Trace]()
        for trace in reversed(self._all()):
            scent, slot = change(trace.scent), slot_of(trace.scent)
            if scent is not None and (slot is None or stays.setdefault(slot, True)):
                if trace.round > oldest or self.is_core(scent.type):
                    kept.append(replace(trace, scent=scent))
            elif slot is not None:
                stays.setdefault(slot, False)
        self._rounds, self._core = {}, {}
        for trace in reversed(kept):
            self._add(trace)
        for round_ in self._rounds:
            self._bound(round_)
        self._pending = tuple(each for each in map(change, self._pending) if each is not None)
        self.about = self.about.changed(change)
        self.diluted = self.diluted & set(self.types)

    def _all(self) -> list[Trace]:
        """Every trace, in the order of release."""
        kept = [trace for types in self._rounds.values() for traces in types.values() for trace in traces]
        return sorted([*kept, *self._core.values()], key=_number)

    # ---- keeping ------------------------------------------------------------------------------------------------------------------------

    def dump(self) -> FieldState:
        """All of it, as plain data."""
        return FieldState(
            settings=self._settings,
            round=self.round,
            number=self._number,
            task=self.task,
            about=self.about,
            traces=tuple(self._all()),
            pending=self._pending,
            diluted=tuple(sorted(self.diluted)),
        )

    @classmethod
    def restore(cls, state: FieldState) -> Self:
        """The field that was dumped."""
        field = cls()
        field._settings = state.settings
        field.round, field._number, field.task, field.about = state.round, state.number, state.task, state.about
        field._pending, field.diluted = state.pending, set(state.diluted)
        for trace in state.traces:
            field._add(trace)
        return field


def _number(trace: Trace) -> int:
    return trace.number


def _besides(scents: Iterable[Scent], others: Iterable[Scent]) -> list[Scent]:
    """Those of the others that give no value to a slot that the scents of a message fill."""
    filled = {slot_of(scent) for scent in scents if not scent.asked} - {None}
    return [each for each in others if slot_of(each) not in filled]
