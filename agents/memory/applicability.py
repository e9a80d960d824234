"""Does an experience apply to a task that it looks alike to? (Chapter 5, "Retrieval of experience".)

Law: in doubt it does not. A memory that is left out costs what was learnt once; one that misleads costs the task.
"""

import re
from collections.abc import Iterator

from agents.conditions import Situation, explain, meets, validated
from agents.memory.distilling import compared, words
from agents.memory.records import Experience
from blackboard.errors import BadValue
from blackboard.text import terms

OPPOSITES = (
    ("with", "without"), ("including", "excluding"), ("include", "exclude"), ("before", "after"), ("within", "after"), ("above", "below"),
    ("over", "under"), ("most", "least"), ("more", "less"), ("more", "fewer"), ("highest", "lowest"), ("largest", "smallest"),
    ("best", "worst"), ("first", "last"), ("top", "bottom"), ("oldest", "newest"), ("earliest", "latest"), ("ascending", "descending"),
    ("increase", "decrease"), ("add", "remove"), ("enable", "disable"), ("buy", "sell"), ("import", "export"), ("open", "close"),
    ("start", "stop"), ("gross", "net"), ("minimum", "maximum"), ("min", "max"), ("all", "none"), ("domestic", "international"),
)  # fmt: skip
"""Words of which a task has the one or the other, and is another task by that."""

_FORBIDS = re.compile(
    r"""(?: \b(?: not | never | \w+n['’]t | cannot | without | avoid(?:ing)? | excluding
            | except(?:\ for)? | instead\ of | rather\ than | no )\b
          | 不要 | 不得 | 不能 | 不用 | 禁止 | 避免 | 别 | 勿 | 无需 )
        (?P<what> (?: [^,;:.!?，。；：！？\n] | (?<=\d) [,.:] (?=\d) )* )""",
    re.IGNORECASE | re.VERBOSE,
)
_GOES_ON = re.compile(r"\b(?:but|then|instead)\b", re.IGNORECASE)
"""Where what is forbidden ends, though the clause does not."""
_DOING = frozenset(terms("use make call apply show give want need include do have"))
"""Of what is forbidden it is not these words that tell it."""
BEFORE = 20
"""Characters before a word that tell whether a sentence begins with it."""
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:]\s+)\W*$")


def obstacle(experience: Experience, situation: Situation) -> str | None:
    """Why an experience does not apply; None: nothing speaks against it.

    Asked are, in this order: its conditions; whether the tools of its path are at hand, where that is known; whether the request rules out
    what it is about, or it what the request is about; the names and numbers that all its tasks share; words of which one is the other's
    opposite.
    """
    try:
        when = validated(experience.when)
    except BadValue as error:
        return f"its conditions cannot be read: {error}"
    if not meets(when, situation):
        return explain(when, situation)
    missing = sorted({*experience.path, *experience.tools} - set(situation.tools)) if situation.tools else []
    if missing:
        return f"the tools {', '.join(missing)} are not at hand" if len(missing) > 1 else f"the tool {missing[0]} is not at hand"
    return _ruled_out(experience, situation) or _another_name(experience, situation) or _opposite(experience, situation)


def _ruled_out(experience: Experience, situation: Situation) -> str | None:
    asked, forbidden = _apart(situation.request)
    was_asked, was_forbidden = _apart(experience.request)
    said, _ = _apart(experience.lesson)
    done = was_asked | said | {term for tool in experience.path for term in _terms(tool.replace("_", " "))}
    for what, ruled in forbidden.items():
        if ruled <= done:
            return f"the request rules out “{what}”, which it is about"
    for what, ruled in was_forbidden.items():
        if ruled <= asked:
            return f"its tasks ruled out “{what}”, which the request asks for"
    return None


def _apart(text: str) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """The terms of what a text asks for, and what it rules out, each with its terms."""
    forbidden: dict[str, frozenset[str]] = {}
    rest, start = "", 0
    for each in _FORBIDS.finditer(text):
        what = _GOES_ON.split(each["what"], maxsplit=1)[0].strip()
        rest += text[start : each.start()] + " "
        start = each.start("what") + len(each["what"]) - len(each["what"].lstrip()) + len(what)
        if found := _terms(what) - _DOING:
            forbidden[what] = found
    return _terms(rest + text[start:]), forbidden


def _terms(text: str) -> frozenset[str]:
    return frozenset(map(compared, terms(text)))


def _another_name(experience: Experience, situation: Situation) -> str | None:
    there = words(situation.request)
    for name in _names(experience):
        if compared(name) not in there:
            return f"all its tasks are about {name}, which the request does not name"
    return None


def _names(experience: Experience) -> Iterator[str]:
    """Of the words that all its tasks share those that are names or numbers: by a digit, or a capital that no sentence begins with."""
    for word in experience.about:
        place = experience.request.find(word)
        begins = place >= 0 and _SENTENCE_BEGINS.search(experience.request[max(0, place - BEFORE) : place])
        if any(map(str.isdigit, word)) or any(map(str.isupper, word[1:])) or (word[:1].isupper() and not begins):
            yield word


def _opposite(experience: Experience, situation: Situation) -> str | None:
    here, there = words(situation.request), words(experience.request)
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one in there and other in here and other not in there and one not in here:
                return f"its tasks say “{one}”, the request “{other}”"
    return None
