"""JetStream's vocabulary as far as a board uses it: its streams, their laws, and its numbers. No I/O."""

from collections.abc import Mapping
from typing import Any, Protocol

from bus import names

API = "$JS.API."
EXPECTED_LAST = "Nats-Expected-Last-Subject-Sequence"
PLACE = "Nats-Sequence"
"""The header with its number in the stream that a message got directly bears."""
TRACE = "traceparent"
"""The header of a post with its trace, in the W3C's spelling."""
NO_STREAM, NO_MESSAGE, NO_CLUSTER = 10059, 10037, 10074
WRONG_LAST = frozenset({10071, 10164})
"""What was expected to be a subject's last message is not, or, on a cluster, another is on its way behind it: after the loss of a majority
that may be one's own, sent before."""
REPLICAS = 3
"""Copies of each stream on a cluster: one server may be lost."""
ORIGIN = "pheroboard.origin"
"""Under this name a log's metadata has what it was made with."""
EVENTS_KEPT = 7 * 86_400
"""Seconds."""
SECOND = 10**9
"""JetStream counts in nanoseconds."""


class Arrival(Protocol):
    """What came in on a subscription."""

    @property
    def subject(self) -> str: ...
    @property
    def reply(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def headers(self) -> Mapping[str, str] | None: ...


_KEPT = {"storage": "file", "retention": "limits"}
# With roll-ups and schedules a publisher can erase what others wrote and write on their subjects; the rest would change, hold back or drop
# messages behind our back, or acknowledge what is not on the disk. Purging stays possible: erasing needs it.
_NEVER = dict.fromkeys(
    (
        "allow_rollup_hdrs",
        "allow_msg_schedules",
        "allow_msg_ttl",
        "allow_msg_counter",
        "mirror",
        "sources",
        "subject_transform",
        "republish",
        "no_ack",
        "allow_atomic",
        "allow_batched",
        "persist_mode",
    )
)


def observations_stream(board: str) -> str:
    """The name of a board's log."""
    return f"PB_OBS_{board}"


def observations_laws(board: str) -> dict[str, Any]:
    """What the log's configuration must say: nothing goes but by a purge."""
    unlimited = {"max_age": 0, "max_msgs": -1, "max_msgs_per_subject": -1}
    return {"subjects": [names.observations(board)], "deny_delete": True} | unlimited | _KEPT | _NEVER


def events_stream(board: str) -> str:
    """The name of the stream of a board's events."""
    return f"PB_EVT_{board}"


def events_laws(board: str) -> dict[str, Any]:
    """What the events' configuration must say: anyone who may hear a subject may get its last message."""
    return {"subjects": [names.events(board)], "allow_direct": True} | _KEPT | _NEVER


LEASES = "KV_pheroboard-leases"
"""The stream of the bucket in which each board's leader stands."""


def lease_subject(board: str) -> str:
    """The key of a board's leader."""
    return f"$KV.pheroboard-leases.{board}"


def leases_stream() -> dict[str, Any]:
    """The configuration of their bucket."""
    return {
        "subjects": [lease_subject(">")],
        "storage": "file",  # in memory, on a cluster, the loss of two servers one after the other leaves it without a quorum for good
        "max_msgs_per_subject": 1,
        "discard": "new",
        "allow_rollup_hdrs": True,
        "allow_direct": True,
        "deny_delete": True,
    }


def snapshots_stream(board: str) -> str:
    """The stream of the object store in which a board's snapshot is."""
    return f"OBJ_pheroboard-{board}"


def snapshot_subject(board: str, part: str) -> str:
    """The subject of the snapshot's ``C.…`` (chunks) and ``M.…`` (what is said of it)."""
    return f"$O.pheroboard-{board}.{part}"


def snapshots_config(board: str) -> dict[str, Any]:
    """The configuration of a board's object store."""
    subjects = [snapshot_subject(board, "C.>"), snapshot_subject(board, "M.>")]
    return {"subjects": subjects, "storage": "file", "discard": "new", "allow_rollup_hdrs": True, "allow_direct": True}


def broken_law(laws: Mapping[str, Any], config: Mapping[str, Any]) -> str | None:
    """The first law that a stream's configuration does not keep; absent, false, zero and empty are one."""
    return next((law for law, value in laws.items() if (config.get(law) or None) != (value or None)), None)


def status(arrival: Arrival) -> str | None:
    """A word of the server that came in the place of a message: ``503`` nobody, ``404`` and ``408`` no message, ``409`` no consumer."""
    return arrival.headers.get("Status") if arrival.headers else None


def place(ack: str) -> tuple[int, float, int]:
    """``(sequence, stamp in Unix seconds, how many wait behind it)`` from the subject of an acknowledgement, with or without domain and
    account in front.
    """
    tokens = ack.split(".")
    shift = 0 if len(tokens) == 9 else 2
    return int(tokens[5 + shift]), int(tokens[7 + shift]) / SECOND, int(tokens[8 + shift])
