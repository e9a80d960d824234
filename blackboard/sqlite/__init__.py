"""A board in SQLite: one of its files each for what came, for how it stands, and for where its journal begins.

``NAME.db`` holds the journal and all that is committed with it; ``NAME.state.db`` the checkpoint, so that writing one never stands in the
way of a commit; ``NAME.origin.db`` the checkpoint that the journal begins behind, once it was cut; ``NAME.terms.db`` what texts come to
that were searched, and may be lost; ``NAME.db.lock`` names the process that holds them. An agent's outbox is a file of its own, and so are
vectors that an embedder made.
"""

from blackboard.sqlite.copies import Copied, back_up, discard, make, restore
from blackboard.sqlite.looking import Inspection, Recorded, inspect, recorded
from blackboard.sqlite.pending import SqlitePending
from blackboard.sqlite.store import SqliteStore
from blackboard.sqlite.vectors import SqliteVectors

__all__ = [
    "Copied",
    "Inspection",
    "Recorded",
    "SqlitePending",
    "SqliteStore",
    "SqliteVectors",
    "back_up",
    "discard",
    "inspect",
    "make",
    "recorded",
    "restore",
]
