"""Risk factors of a call that is about to be made: what may be amiss with any call of any tool, whatever the tool is for.

Whether one of them tells anything, and how much, ``lessons`` learns from tasks that failed and tasks that went well. What cannot be told is
no risk.
"""

import re
from collections.abc import Callable

from agents.evolution.prohibitions import forbidding
from agents.evolution.proposals import Proposal, names
from agents.memory.records import TaskLog, ToolCall

MANY = 3
"""So many values that the user did not say leave much to the agent's choice. By judgement."""

_CONSENT = re.compile(
    r"(?<! not [ ] ) (?<! n't [ ] ) \b"
    r" (?: yes | yeah | yep | sure | ok | okay | confirm(?:ed)? | correct | agreed? | go [ ] ahead | proceed | please [ ] do ) \b"
    r"| (?<! [不没你] ) (?: 好 | 可以 | 确认 | 同意 ) | 是的 | 对的 | 没问题 | 请继续",
    re.IGNORECASE | re.VERBOSE,
)
_LIMIT = re.compile(
    r"\b (?: cannot | can't | can [ ] not | unable | unfortunately | policy | policies | only [ ] if | must [ ] not"
    r" | not [ ] (?: possible | allowed | permitted | eligible | able | available ) ) \b"
    r"| 不能 | 无法 | 不可以 | 不允许 | 不得 | 抱歉 | 遗憾 | 规定 | 只有",
    re.IGNORECASE | re.VERBOSE,
)


def _unnamed(it: Proposal) -> list[str]:
    return [f"{key} {value}" for key, value in it.things if not names("\n".join(it.by_user), value)]


def _chosen(it: Proposal) -> list[str]:
    unsaid = it.unsaid()
    return unsaid if len(unsaid) >= MANY else []


def _made_up(it: Proposal) -> list[str]:
    return it.made_up()


def _unread(it: Proposal) -> list[str]:
    return [f"{key} {value}" for key, value in it.things if (key, value) not in it.records]


def _reshaping(it: Proposal) -> list[str]:
    return it.changed if len(it.changed) > 1 else []


def _unconfirmed(it: Proposal) -> list[str]:
    last = it.by_user[-1]
    return [] if _CONSENT.search(last) else [last]


def _unlimited(it: Proposal) -> list[str]:
    return [] if any(map(_LIMIT.search, it.by_agents)) else [f"{len(it.by_agents)} turns without one"]


def _forbidden(it: Proposal) -> list[str]:
    return [sentence for text in it.by_system for sentence in forbidding(text, it)]


def _repeated(it: Proposal) -> list[str]:
    return [each.error for each in it.past if each.error and (each.name, each.parameters) == (it.call.name, it.call.parameters)]


RISKS: dict[str, tuple[str, Callable[[Proposal], list[str]]]] = {
    "unnamed": ("about a thing that the user never named", _unnamed),
    "chosen": ("with several values that the user did not say", _chosen),
    "made_up": ("with a value that nobody said and no tool answered", _made_up),
    "unread": ("about a thing that was not looked up", _unread),
    "reshaping": ("that changes several fields of a record at once", _reshaping),
    "unconfirmed": ("where the user's last words are no consent", _unconfirmed),
    "unlimited": ("where the agent has named no limit to what can be done", _unlimited),
    "forbidden": ("that a sentence of the instructions speaks against", _forbidden),
    "repeated": ("that has failed before, as it is", _repeated),
}
"""Name → what a call is then, and what shows it: nothing, if it is not."""


def risks(log: TaskLog, call: ToolCall) -> dict[str, list[str]]:
    """The risk factors of a call after all that ``log`` holds, each with what shows it."""
    proposal = Proposal(log, call)
    found = {name: shows(proposal) for name, (_, shows) in RISKS.items()}
    return {name: shown for name, shown in found.items() if shown}
