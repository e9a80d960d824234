"""JetStream's vocabulary."""

import pytest

from bus.jetstream import broken_law, events_laws, observations_laws, place


@pytest.mark.parametrize(
    "ack",
    [
        "$JS.ACK.PB_OBS_b.c.1.42.7.1700000000500000000.0",
        "$JS.ACK.hub.HASH.PB_OBS_b.c.1.42.7.1700000000500000000.0",
        "$JS.ACK._.HASH.PB_OBS_b.c.1.42.7.1700000000500000000.0.random",
    ],
)
def test_place(ack: str) -> None:
    """The number and the stamp are found in every form of an acknowledgement's subject."""
    assert place(ack) == (42, 1_700_000_000.5, 0)


def test_laws() -> None:
    """A stream keeps the laws if it says the same or leaves out what is no; the one that it breaks is named."""
    laws = observations_laws("b")
    kept = {law: value for law, value in laws.items() if value} | {"num_replicas": 3}
    assert broken_law(laws, kept) is None
    assert broken_law(laws, kept | {"allow_rollup_hdrs": False, "max_age": 0}) is None
    assert broken_law(laws, kept | {"allow_msg_schedules": True}) == "allow_msg_schedules"
    assert broken_law(laws, kept | {"max_age": 5}) == "max_age"
    assert broken_law(laws, kept | {"subjects": ["pb.obs.b.>"]}) == "subjects"


def test_nothing_ever_rolls_up() -> None:
    """Neither stream allows what lets one publisher erase, forge or hold back another's messages, or is acknowledged before it is kept."""
    never = ("allow_rollup_hdrs", "allow_msg_schedules", "allow_msg_ttl", "allow_atomic", "persist_mode")
    for laws in (observations_laws("b"), events_laws("b")):
        assert laws.keys() >= set(never)
        assert not any(laws[law] for law in never)
