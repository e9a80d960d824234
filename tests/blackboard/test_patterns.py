"""Claims about regular expressions of users."""

import pytest

from blackboard.errors import BadValue
from blackboard.patterns import pattern


@pytest.mark.parametrize("source", [r"(a)\1", "a(?=b)", "("])
def test_what_needs_backtracking_or_is_no_pattern_is_refused(source: str) -> None:
    """The error quotes the pattern, and names the syntax."""
    with pytest.raises(BadValue, match="RE2") as error:
        pattern(source)
    assert repr(source) in str(error.value)
