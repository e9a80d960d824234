"""How an item that was observed reads."""

from blackboard.items import ContextItem


def told(item: ContextItem) -> str:
    """What a tool gave, behind the call that gave it; whatever else stands there as it is."""
    return item.content if "speaker" not in item.meta or item.key is None else f"{item.meta['speaker']}: {item.content}"
