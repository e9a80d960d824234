"""What of a task's turns must not be lost when they are condensed (chapter 5, "Constraints survive verbatim").

What that is:

- every sentence that binds, to the letter, whoever says it: what must or must not be, what is not so, and what was promised;
- of people, and of the system prompt, every sentence with a number, to the letter;
- of agents every number in digits (HAT084, $1,250 and 15:00 are one each; the number of a point in a list is none);
- every parameter of every call of a tool.

A tool's result is none of it: it may be thousands of figures, of which those count that somebody names or puts to use, and these are above.
All results stay in the turns.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agents.memory.records import Turn
from blackboard.summaries import must_be_kept, sentences


class Essence(NamedTuple):
    """What of one turn must not be lost."""

    kept: list[str]
    """Sentences, as they stand."""
    figures: list[str]
    """Numbers that an agent says, as they stand."""


PEOPLE = frozenset({"user", "system"})
"""Who says what a task is about."""
TOOL = "tool"


def essence(turn: Turn) -> Essence:
    """What of a turn must not be lost, beside the parameters of its calls."""
    return Essence(bindings(turn), figures(turn))


def bindings(turn: Turn) -> list[str]:
    """The sentences of a turn that must be kept, as they stand."""
    if turn.by == TOOL:
        return []
    if turn.by in PEOPLE:
        return [each for each in sentences(turn.text) if must_be_kept(each) and not is_greeting(each)]
    return [each for each in _pieces(turn.text) if _agent_binds(each, turn) and not is_greeting(each)]


def _agent_binds(sentence: str, turn: Turn) -> bool:
    """An agent's question binds nobody, and what it says it will do it may do in the same turn."""
    if sentence.endswith(("?", "？")):
        return negates(sentence)
    return binds(sentence) or (not turn.calls and is_promise(sentence))


def figures(turn: Turn) -> list[str]:
    """The numbers that an agent says in a turn, as they stand, each once."""
    return [] if turn.by == TOOL or turn.by in PEOPLE else list(dict.fromkeys(numbers(turn.text)))


def parameters(turns: Iterable[Turn]) -> Iterator[tuple[str, str, Any]]:
    """The parameters of all calls: the tool, the parameter, and its value."""
    for turn in turns:
        for call in turn.calls:
            for name, value in call.parameters.items():
                yield call.name, name, value


def numbers(text: str) -> list[str]:
    """The numbers of a text in digits, each as it stands with what it is one word with; those of points of lists are left out."""
    return NUMBER.findall(_POINT.sub("", text))


def plain_number(number: str) -> str:
    """A number without what tells only how it is written: $1,250 and 1250 are the same, and 0.5 and .5."""
    before = _BEFORE.match(number)
    assert before is not None
    sign, point = "-" if {"-", "−"} & set(before[0]) else "", "0." if before[0].endswith(".") else ""
    return sign + point + number[before.end() :].replace(",", "").casefold()


def is_greeting(sentence: str) -> bool:
    """Is it courtesy and nothing else?"""
    rest = _COURTESY.sub("", sentence.replace("’", "'"))
    return rest != sentence and not any(map(str.isalnum, rest))


def is_promise(sentence: str) -> bool:
    """Does somebody say what he will do?"""
    return bool(_PROMISE.search(sentence.replace("’", "'")))


def negates(sentence: str) -> bool:
    """Does it say that something is not, or must not be?"""
    return bool(_NEGATION.search(sentence.replace("’", "'")))


def without_negation(sentence: str) -> str:
    """The sentence without the words that make it a denial."""
    return _NEGATION.sub(" ", sentence.replace("’", "'"))


def binds(sentence: str) -> bool:
    """Would it be kept if it had no digits?"""
    return must_be_kept(_DIGIT.sub("", sentence))


def _pieces(text: str) -> Iterator[str]:
    """An agent's sentences; a list by its points, unless what stands above them binds them all."""
    for sentence in sentences(text):
        head, *points = (line.strip() for line in sentence.splitlines() if line.strip())
        if not points or binds(head):
            yield sentence
        else:
            yield from (head, *points)


_DIGIT = re.compile(r"\d")
_POINT = re.compile(r"^[^\S\n]*\d{1,3}[.)、]\s", re.MULTILINE)
NUMBER = re.compile(
    r"(?: (?<![A-Za-z_]) [$€£¥￥]? [A-Za-z_]*+ | (?<![A-Za-z_\d.,:/%+)\]-]) (?: [-−]? [$€£¥￥]? | [$€£¥￥][-−] ) \.? ) \d"
    r" (?: [A-Za-z_\d.,:/%+-]* [A-Za-z_\d%] )? [十百千万亿]*",
    re.VERBOSE,
)
"""A word of Latin letters with a digit in it, with what may stand within a number, or with a sign or a point before it; and with how many
tens, thousands, millions. Each run of letters is looked at once. To be compiled with ``re.VERBOSE`` where it is part of another."""
_BEFORE = re.compile(r"[-−$€£¥￥+.]*")
_PROMISE = re.compile(
    r"\b(?: (?:I|we) (?:'ll|[ ](?:will|shall|promise|guarantee|commit)) | promised? | guarantee[ds]? )\b"
    r" | [我咱]们?(?:会|将) | 承诺 | 保证",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATION = re.compile(
    r"\b(?: not | never | no | none | nobody | nothing | neither | nor | cannot | \w+n't | without | avoid(?:s|ed|ing)? | refrain(?:s|ed)?"
    r" | except | forbid\w* | prohibit\w* )\b"
    r" | [不别勿莫禁没无未非] | 避免 | 拒绝",
    re.IGNORECASE | re.VERBOSE,
)
_COURTESY = re.compile(
    r"""\b(?: hi | hello | hey | dear | good[ ](?:morning|afternoon|evening|day) | thanks? | thank[ ]you | so[ ]much | very[ ]much | a[ ]lot
          | you(?:'re|[ ]are)[ ](?:very[ ])?welcome | goodbye | bye | take[ ]care | there | everyone | again | no[ ](?:problem|worries)
          | have[ ]a[ ](?:nice|great|good|wonderful|lovely)[ ](?:day|evening|week|weekend|trip)
          | for[ ](?:your|the)[ ](?:help|patience|understanding|time|assistance)
          | my[ ]pleasure | (?:I'm[ ])?(?:glad|happy)[ ]to[ ]help | how[ ](?:can|may)[ ]I[ ](?:help|assist)[ ]you(?:[ ]today)?
          | is[ ]there[ ]anything[ ]else[ ]I[ ]can[ ](?:do[ ]for|help|assist)[ ]you(?:[ ]with)?(?:[ ]today)? )\b
      | 你好 | 您好 | 大家好 | 非常感谢 | 谢谢[你您]? | 多谢 | 感谢[你您]? | 不客气 | 不用谢 | 没关系 | 再见 | 早上好 | 下午好 | 晚上好""",
    re.IGNORECASE | re.VERBOSE,
)
