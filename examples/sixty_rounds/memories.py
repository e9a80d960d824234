"""The two memories that need no board: a window, and a summary that is written anew every few rounds. Both give what goes into the prompt.

The summary needs no model: like the network's own summaries it keeps sentences as they stand, and first those that state a constraint or a
number. Unlike them it has a fixed size, so that it must choose, and then it takes the newer ones.
(Were it the older ones, it would know the first rounds, the meeting among them, and no more of coriander than this one.) A model may choose
otherwise, which is why chapter 2 says "perhaps".
"""

from collections.abc import Sequence

from blackboard.summaries import must_be_kept, sentences
from blackboard.tokens import count_tokens
from examples.sixty_rounds.course import Turn

WINDOW = 10
"""Rounds that a window holds."""
EVERY = 5
"""Rounds after which the summary is written anew, from itself and these."""
SIZE = 400
"""Tokens of a summary."""


def transcript(turns: Sequence[Turn]) -> str:
    """The conversation as it goes into a prompt."""
    return "\n".join(f"user: {turn.said}\nassistant: {turn.answered}" for turn in turns)


def window(turns: Sequence[Turn]) -> str:
    """The last rounds, and nothing else."""
    return transcript(turns[-WINDOW:])


def summarised(turns: Sequence[Turn]) -> str:
    """The last summary, and the rounds since then."""
    summary: list[str] = []
    end = len(turns) - len(turns) % EVERY
    for first in range(0, end, EVERY):
        summary = shortened([*summary, *(each for turn in turns[first : first + EVERY] for text in turn for each in sentences(text))])
    return "\n".join([*summary, transcript(turns[end:])])


def shortened(said: Sequence[str]) -> list[str]:
    """As many sentences as there is room for, in order, and no questions: what must be kept before the rest, the newer before the older."""
    statements = (n for n, each in enumerate(said) if not each.endswith(("?", "？")))
    by_rank = sorted(statements, key=lambda n: (must_be_kept(said[n]), n), reverse=True)
    kept: set[int] = set()
    room = SIZE
    for n in by_rank:
        size = count_tokens(said[n] + "\n")
        if size <= room:
            kept.add(n)
            room -= size
    return [said[n] for n in sorted(kept)]
