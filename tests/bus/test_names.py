"""Names and subjects."""

import pytest

from bus import names
from bus.errors import BadName


@pytest.mark.parametrize("name", ["finance", "a", "A-1_b", "x" * 64])
def test_good_names(name: str) -> None:
    """Letters, digits, ``-`` and ``_``, up to 64, make a name."""
    assert names.valid_name(name) == name


@pytest.mark.parametrize("name", ["", "a.b", "*", ">", "a b", "x" * 65, "é", "a\n", "$JS"])
def test_bad_names(name: str) -> None:
    """What is not one subject token is refused, with the name and the rule."""
    with pytest.raises(BadName, match="1 to 64 letters"):
        names.valid_name(name)


def test_the_boards_own_names() -> None:
    """Users cannot bear the name in which the host speaks."""
    with pytest.raises(BadName, match="board's own"):
        names.valid_name(names.HOST)


def test_not_a_string() -> None:
    """A name that is no string is a bad name and not a crash."""
    with pytest.raises(BadName, match="7"):
        names.valid_name(7)  # type: ignore[arg-type]


def test_subjects() -> None:
    """Subjects are spelled as permissions name them, and the speaker is read off them."""
    assert names.observations("b", "finance") == "pb.obs.b.finance"
    assert names.observations("b") == "pb.obs.b.*"
    assert names.queries("b", "finance") == "pb.ask.b.finance"
    assert names.events("b", names.SHARED) == "pb.evt.b.shared"
    assert names.events("b", names.private("finance")) == "pb.evt.b.private.finance"
    assert names.events("b") == "pb.evt.b.>"
    assert names.speaker("pb.obs.b.finance") == "finance"
