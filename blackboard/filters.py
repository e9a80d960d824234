"""What a subscriber wants to be told. An event meets a filter if it meets all that the filter gives."""

from msgspec import Struct

from bus.messages import Change, Signal


class SignalFilter(Struct, frozen=True):
    """Which signals are wanted."""

    names: tuple[str, ...] = ()
    """Any signal, if empty."""
    key: str | None = None
    kind: str | None = None
    item: str | None = None
    own: bool = False
    """Also rises that the agent alone caused."""

    def meets(self, event: Signal | Change, agent: str) -> bool:
        """Does ``agent`` want this?"""
        return (
            isinstance(event, Signal)
            and (self.own or event.signal != "rising" or event.evidence.agents != (agent,))
            and (not self.names or event.signal in self.names)
            and self.key in (None, event.key)
            and self.kind in (None, event.kind)
            and self.item in (None, event.item)
        )


class ChangeFilter(Struct, frozen=True):
    """Which changes are wanted; an edge's are of the kind *edge*."""

    kind: str | None = None
    key: str | None = None
    cause: str | None = None
    item: str | None = None

    def meets(self, event: Signal | Change, agent: str) -> bool:  # noqa: ARG002 - as its sibling
        """Does ``agent`` want this?"""
        return (
            isinstance(event, Change)
            and self.kind in (None, event.kind)
            and self.key in (None, event.key)
            and self.cause in (None, event.cause)
            and self.item in (None, event.item)
        )
