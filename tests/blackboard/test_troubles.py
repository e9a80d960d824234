"""blackboard.troubles: what keeps a host from going on."""

from blackboard.troubles import Troubles


def test_each_once_since_it_began() -> None:
    """A trouble that is met again is the same one, said as it is now; it is gone once it is over, and the others stay."""
    troubles = Troubles()
    assert str(troubles) == ""
    assert troubles.begin("disk", "no room", 0.0)
    assert not troubles.begin("disk", "less room", 60.0)
    assert troubles.begin("clock", "5 s", 3600.0)
    assert str(troubles) == "since 1970-01-01 00:00:00+00:00: less room; since 1970-01-01 01:00:00+00:00: 5 s"
    assert troubles.over("disk")
    assert not troubles.over("disk")
    assert str(troubles) == "since 1970-01-01 01:00:00+00:00: 5 s"
