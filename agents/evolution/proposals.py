"""A call that is about to be made, in its context: what it is about, what is known of that, and where its parameters come from.

Laws: nothing here knows what a tool is about, and nothing after the call is looked at.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from agents.evolution.signs import says
from agents.memory.records import NOT_AGENTS, TaskLog, ToolCall


class Proposal:
    """A call, and the log of all that came before it."""

    def __init__(self, log: TaskLog, call: ToolCall) -> None:
        self.call = call
        self.past = [each for turn in log.turns for each in turn.calls]
        self.by_user = [log.request, *(turn.text for turn in log.turns if turn.by == "user")]
        self.by_agents = [turn.text for turn in log.turns if turn.by not in NOT_AGENTS and turn.text]
        self.by_system = [turn.text for turn in log.turns if turn.by == "system"]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The parameters by which things are looked up: those that were enough, alone, for an object to be answered."""
        return frozenset(
            next(iter(each.parameters)) for each in self.past if len(each.parameters) == 1 and isinstance(each.result, Mapping)
        )

    @cached_property
    def records(self) -> dict[tuple[str, Any], Mapping[str, Any]]:
        """(key, its value) → the latest that a tool answered about that thing."""
        found: dict[tuple[str, Any], Mapping[str, Any]] = {}
        for each in self.past:
            if not isinstance(each.result, Mapping):
                continue
            for key, value in _things(each.parameters, self.keys):
                if len(each.parameters) == 1 or each.result.get(key) == value:
                    found[key, value] = each.result
        return found

    @cached_property
    def things(self) -> list[tuple[str, Any]]:
        """What the call is about, as (key, its value)."""
        return _things(self.call.parameters, self.keys)

    @cached_property
    def record(self) -> dict[str, Any]:
        """All that is known of these things, and of those that their records name in turn; the nearest has its way."""
        found: dict[str, Any] = {}
        todo, seen = list(self.things), set[tuple[str, Any]]()
        while todo:
            thing = todo.pop(0)
            if thing in self.records and thing not in seen:
                seen.add(thing)
                found = {**self.records[thing], **found}
                todo += _things(self.records[thing], self.keys)
        return found

    @cached_property
    def changed(self) -> list[str]:
        """The fields of the record that the call says otherwise, sorted."""
        given = self.call.parameters.items()
        return sorted(name for name, value in given if name in self.record and not _agrees(value, self.record[name]))

    def unsaid(self) -> list[str]:
        """The parameters whose values the user did not say, sorted."""
        return self._not_in("\n".join(self.by_user))

    def made_up(self) -> list[str]:
        """The parameters with a value that nobody said and no tool answered or took, sorted."""
        took = (str(leaf) for each in self.past if each.error is None for leaf in (*_leaves(each.parameters), *_leaves(each.result)))
        return self._not_in("\n".join([*self.by_system, *self.by_user, *self.by_agents, *took, *sorted(self.vocabulary)]))

    def _not_in(self, text: str) -> list[str]:
        text = _spelled(text)
        given = self.call.parameters.items()
        return sorted(name for name, value in given if not all(says(text, _spelled(str(leaf))) for leaf in _leaves(value)))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """What things are called here: the names and the texts in what tools answered."""
        return frozenset(name for each in self.past for name in _texts(each.result))


def before(log: TaskLog, turn: int, number: int) -> TaskLog:
    """``log`` as it was when the call with this number in this turn was about to be made."""
    now = log.turns[turn]
    return replace(log, turns=(*log.turns[:turn], replace(now, calls=now.calls[:number])), verdict=None)


def names(text: str, value: Any) -> bool:
    """Does a text name a value? *basic_economy* and *Basic economy* are the same."""
    return says(_spelled(text), _spelled(str(value)))


def _spelled(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip()


def _things(values: Mapping[str, Any], keys: frozenset[str]) -> list[tuple[str, Any]]:
    return [(key, value) for key in sorted(keys) if isinstance(value := values.get(key), str | int) and not isinstance(value, bool)]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif value is not None and value != "":
        yield value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield str(key)
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value


def _agrees(new: Any, old: Any) -> bool:
    """Does ``new`` say nothing otherwise than ``old``? It may say less."""
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        return all(name in old and _agrees(value, old[name]) for name, value in new.items())
    if isinstance(new, list | tuple) and isinstance(old, list | tuple):
        return len(new) == len(old) and all(map(_agrees, new, old))
    return bool(new == old)
