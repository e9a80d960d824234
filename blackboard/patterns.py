"""Regular expressions of users, which come from anywhere: of an engine that takes linear time, whatever they say."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2

from blackboard.errors import BadValue

MEMORY = 32 << 20
"""The most bytes that the states of one expression, or of one set, may take."""


@lru_cache(maxsize=256)
def pattern(source: str) -> Any:
    """A compiled regular expression of a linear-time engine (no back-references, no look-around), or ``BadValue``."""
    return compiled(source, ignore_case=False)


def compiled(source: str, *, ignore_case: bool = True, longest: bool = False) -> Any:
    """The same, not kept. ``longest``: of several words that begin at one place the longest is found, not the first."""
    try:
        return re2.compile(source, _options(ignore_case=ignore_case, longest=longest))
    except re2.error as error:
        reason = error.args[0] if error.args else error
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise BadValue(f"regular expression {source!r}: {said} (syntax: RE2, without look-around and back-references)") from error


class AnyOf:
    """Which of many expressions a text meets, letter case aside, in one walk over it. Each of the sources was compiled before.

    :raises BadValue: they are too large together
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self._set = re2.Set.SearchSet(_options(ignore_case=True, longest=False))
        for source in sources:
            self._set.Add(source)
        try:
            self._set.Compile()
        except re2.error as error:
            raise BadValue(f"{len(sources)} regular expressions take more than {MEMORY >> 20} MiB together: shorten some") from error

    def __call__(self, text: bytes) -> list[int]:
        """The numbers of those that it meets, in no order."""
        found: list[int] | None = self._set.Match(text)
        return found or []


def _options(*, ignore_case: bool, longest: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.longest_match = longest
    options.max_mem = MEMORY
    return options
