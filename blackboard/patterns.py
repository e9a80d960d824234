"""Regular expressions of users, which come from anywhere: of an engine that takes linear time, whatever they say."""

from functools import lru_cache
from typing import Any

import re2

from blackboard.errors import BadValue


@lru_cache(maxsize=256)
def pattern(source: str) -> Any:
    """A compiled regular expression of a linear-time engine (no back-references, no look-around), or ``BadValue``."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise BadValue(f"regular expression {source!r}: {said} (syntax: RE2, without look-around and back-references)") from error
