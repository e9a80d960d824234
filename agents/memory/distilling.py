"""Many task records become a few experiences (chapter 5, "Compression", tier 3).

Laws:

- Pure: the same records and the same experiences that are known already give the same, in whatever order they come.
- No record is lost: an experience names every task behind it, and keeps their binding sentences to the letter. A record that is no longer
  there stays named.
- An experience keeps its id while most of its tasks stay together; so it is renewed, not doubled, when others come.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from agents.conditions import comparable
from agents.memory.essentials import NUMBER, binds, is_promise, plain_number
from agents.memory.records import Experience, TaskRecord
from agents.memory.telling import shortened
from blackboard.text.english import STOP
from blackboard.text.words import CJK

LEAST = 3
"""Tasks that make an experience: two may be alike by chance."""
REQUEST = 160
"""Characters of a request in a lesson, at most."""

Grouping = Callable[[Sequence[TaskRecord]], list[list[TaskRecord]]]
"""Which records of one type and outcome belong together; each is in one group."""

_WORD = re.compile(
    rf"(?> {NUMBER.pattern} ) (?!@\w) | [{CJK}]+ | [^\W{CJK}]+ (?: [-_.:/@] [^\W{CJK}]+ )*",
    re.VERBOSE,
)
"""A number with its sign, point and thousands (but not the beginning of an address), a run of CJK characters, or a word of others."""


def by_fingerprint(records: Sequence[TaskRecord]) -> list[list[TaskRecord]]:
    """Those that went the same way are together; ``likeness.by_likeness`` finds those that went alike, too."""
    groups: dict[str, list[TaskRecord]] = defaultdict(list)
    for record in records:
        groups[record.fingerprint].append(record)
    return list(groups.values())


def distil(
    records: Iterable[TaskRecord], known: Iterable[Experience] = (), *, least: int = LEAST, grouping: Grouping = by_fingerprint
) -> list[Experience]:
    """What the records come to, of ``least`` tasks or more each, sorted by id. ``known``: what they came to before.

    A success is the path that is recommended, under the conditions that set it apart: facts that all its tasks share and others of the
    type do not. A failure is the path to be wary of. Of what is known that is left out, whose tasks are now with others.
    """
    known = list(known)
    of_id = {record.id: record for record in sorted(records, key=lambda record: (record.ended, record.id))}
    alike: dict[tuple[str, str], list[TaskRecord]] = defaultdict(list)
    of_type: dict[str, list[TaskRecord]] = defaultdict(list)
    for record in sorted(of_id.values(), key=lambda record: record.id):
        alike[record.type, record.outcome].append(record)
        of_type[record.type].append(record)
    groups = [group for _, some in sorted(alike.items()) for group in grouping(some) if len(group) >= least]
    before = _matched(groups, known)
    names = _names(groups, before)
    made = [_experience(names[n], sorted(group, key=lambda record: record.id), of_type, before[n], of_id) for n, group in enumerate(groups)]
    untouched = (each for each in known if of_id.keys().isdisjoint(each.records))
    return sorted((*made, *untouched), key=lambda experience: experience.id)


def _matched(groups: Sequence[Sequence[TaskRecord]], known: Iterable[Experience]) -> list[Experience | None]:
    """For each group the experience that it continues: the most shared tasks first, and each once."""
    home = {record.id: n for n, group in enumerate(groups) for record in group}
    shared: list[tuple[int, str, int, Experience]] = []
    for each in known:
        counts = Counter(home[task] for task in each.records if task in home)
        shared.extend((-count, each.id, n, each) for n, count in counts.items() if groups[n][0].outcome == each.outcome)
    before: list[Experience | None] = [None] * len(groups)
    taken: set[str] = set()
    for _, name, n, each in sorted(shared, key=lambda share: share[:3]):
        if before[n] is None and name not in taken:
            before[n] = each
            taken.add(name)
    return before


def _names(groups: Sequence[Sequence[TaskRecord]], before: Sequence[Experience | None]) -> list[str]:
    """The id of each: the one that it had, or one that its tasks give; another, if a group that parted from them has that."""
    names = [each.id if each else "" for each in before]
    for n, group in enumerate(groups):
        tasks = [group[0].type, group[0].outcome, *sorted(record.id for record in group)]
        while not names[n]:
            name = blake2b("\0".join(tasks).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
            names[n] = "" if name in names else name
            tasks.append("")
    return names


def _experience(
    name: str, group: Sequence[TaskRecord], of_type: dict[str, list[TaskRecord]], before: Experience | None, present: Collection[str]
) -> Experience:
    first = group[0]
    middle = _middle(group)
    path = _most_common(record.path for record in group)
    tasks = {record.id for record in group} | {task for task in (before.records if before else ()) if task not in present}
    others = [record for record in of_type[first.type] if record.id not in tasks]
    return Experience(
        id=name,
        outcome=first.outcome,
        lesson=_lesson(group, middle, path, others, len(tasks)),
        request=middle.request,
        about=_shared_words(group, middle),
        type=first.type,
        when=dict(_conditions(group, others)),
        path=path,
        tools=tuple(sorted(set(path))),
        kept=tuple(dict.fromkeys((*(before.kept if before else ()), *_binding(group)))),
        records=tuple(sorted(tasks)),
    )


def _binding(group: Sequence[TaskRecord]) -> Iterator[str]:
    """What is kept of them, but for sentences that only a number of one task is in."""
    return (sentence for record in group for sentence in record.kept if binds(sentence) or is_promise(sentence))


def _conditions(group: Sequence[TaskRecord], others: Sequence[TaskRecord]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What holds for all of a group, and not for all of the others."""
    first = group[0]
    if first.type:
        yield "type", {"==": first.type}
    for name, value in sorted(first.facts.items()):
        if not name or isinstance(value, list) or not comparable(value):
            continue
        if all(_has(record, name, value) for record in group) and not all(_has(record, name, value) for record in others):
            yield f"facts.{name}", {"==": value}


def _has(record: TaskRecord, name: str, value: Any) -> bool:
    return name in record.facts and type(record.facts[name]) is type(value) and bool(record.facts[name] == value)


def _lesson(group: Sequence[TaskRecord], middle: TaskRecord, path: tuple[str, ...], others: Sequence[TaskRecord], tasks: int) -> str:
    like = f"“{shortened(middle.request, REQUEST)}”" + (f" and {tasks - 1} like it" if tasks > 1 else "")
    way = " → ".join(path) or "no tool"
    learnt = _most_telling([record.lesson for record in group if record.lesson])
    if middle.outcome == "success":
        failed = sum(record.outcome == "failure" and record.path == path for record in others)
        head = f"{like} went well by {way}" + (f" ({failed} others of its type failed by it)" if failed else "")
        learnt = "" if way in learnt else learnt  # that the way led there is said
    else:
        cause = _most_common(record.cause for record in group if record.cause is not None)
        head = f"{like} failed by {way}" + (f" ({cause})" if cause else "")
    return f"{head}: {learnt}" if learnt else head


def _most_common(values: Iterable[Any]) -> Any:
    """The first in order of those that there are the most of; None of none."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value), default=None)


def _most_telling(lessons: Sequence[str]) -> str:
    """The lesson that there are the most of; of several that with the most of what the others have, then the shortest; "" of none."""
    times, shared = Counter(lessons), _shared(lessons)
    return min(times, key=lambda lesson: (-times[lesson], -shared(lesson), len(lesson), lesson), default="")


def _middle(group: Sequence[TaskRecord]) -> TaskRecord:
    """The record whose request has the most of what the others' have; of several the one with the shortest request, then the first one."""
    shared = _shared([record.request for record in group])
    return min(group, key=lambda record: (-shared(record.request), len(record.request), record.began, record.id))


def _shared(texts: Sequence[str]) -> Callable[[str], float]:
    """In how many of the texts the words of one stand, on the average."""
    counts = Counter(word for text in texts for word in words(text))

    def shared(text: str) -> float:
        said = words(text)
        return sum(counts[word] for word in said) / (len(said) or 1)

    return shared


def _shared_words(group: Sequence[TaskRecord], middle: TaskRecord) -> tuple[str, ...]:
    shared = set.intersection(*(set(words(record.request)) for record in group))
    return tuple(said for word, said in words(middle.request).items() if word in shared and word not in STOP)


def words(text: str) -> dict[str, str]:
    """The words and numbers of a text, in order: each as it is compared → as it stands there first."""
    found: dict[str, str] = {}
    for each in _WORD.finditer(text):
        found.setdefault(compared(each.group()), each.group())
    return found


def compared(word: str) -> str:
    """The same for words that differ in capitals only, and for numbers that are only written otherwise: $3,000 and 3000."""
    return plain_number(word) if NUMBER.fullmatch(word) else word.casefold()
