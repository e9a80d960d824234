"""What every place that keeps vectors must do. ``test_embedding`` and ``test_sqlite_vectors`` run it, each on its own kind."""

from blackboard.embedding import Keeper

A, B, C = b"a" * 16, b"b" * 16, b"\0" * 16


class KeeperContract:
    """Subclasses give a fixture ``keeper``: an empty one with room for all of these."""

    def test_it_gives_what_it_keeps(self, keeper: Keeper) -> None:
        """To the byte, and of what is not there nothing."""
        keeper.keep({A: b"\0\1\xff", C: b""})
        assert keeper.kept([A, B, C]) == {A: b"\0\1\xff", C: b""}
        assert keeper.kept([]) == {}

    def test_keeping_again_changes_nothing(self, keeper: Keeper) -> None:
        """A digest has one vector."""
        keeper.keep({A: b"1"})
        keeper.keep({A: b"1", B: b"2"})
        keeper.keep({})
        assert keeper.kept([A, B]) == {A: b"1", B: b"2"}

    def test_what_is_forgotten_is_gone(self, keeper: Keeper) -> None:
        """And nothing else; what is not there may be forgotten, too."""
        keeper.keep({A: b"1", B: b"2"})
        keeper.forget([A, C])
        assert keeper.kept([A, B, C]) == {B: b"2"}

    def test_thousands_at_once(self, keeper: Keeper) -> None:
        """As many as a board has items that are new."""
        many = {n.to_bytes(16, "big"): n.to_bytes(8, "big") for n in range(5000)}
        keeper.keep(many)
        assert keeper.kept(many.keys()) == many
