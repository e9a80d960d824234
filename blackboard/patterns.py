"""Regular expressions of users, which come from anywhere: of an engine that takes linear time, whatever they say."""

from functools import lru_cache
from typing import Any, Self

import re2

from blackboard.errors import BadValue

MEMORY = 32 << 20
"""The most bytes that the states of one expression, or of one set, may take."""


@lru_cache(maxsize=256)
def pattern(source: str) -> Any:
    """A compiled regular expression of a linear-time engine (no back-references, no look-around), or ``BadValue``."""
    return compiled(source, ignore_case=False)


def compiled(source: str, *, ignore_case: bool = True) -> Any:
    """The same, not kept."""
    try:
        return re2.compile(source, _options(ignore_case=ignore_case))
    except re2.error as error:
        reason = error.args[0] if error.args else error
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise BadValue(f"regular expression {source!r}: {said} (syntax: RE2, without look-around and back-references)") from error


class AnyOf:
    """Which of many expressions a text meets, letter case aside.

    One walk finds the literal parts that they need; then those alone are tried whose parts are there. (A set in one automaton is quicker on
    texts that it has seen, and fifty times slower on others.)
    """

    def __init__(self) -> None:
        self._filter = re2.Filter()

    def add(self, source: str) -> Any:
        """The expression, compiled; they are numbered as they are added. It is the one that is tried here: twice would cost twice the
        memory, and the time to fetch it. Raises ``BadValue``.
        """
        try:
            return self._filter.re(self._filter.Add(source, _options(ignore_case=True)))
        except re2.error:
            compiled(source)  # which says why not
            raise

    def ready(self) -> Self:
        """All are there."""
        self._filter.Compile()
        return self

    def __call__(self, text: bytes) -> list[int]:
        """The numbers of those that it meets, in no order."""
        found: list[int] | None = self._filter.Match(text)
        return found or []


def _options(*, ignore_case: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.max_mem = MEMORY
    return options
