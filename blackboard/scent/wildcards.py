"""Types of scents by a pattern: ``shipping_*`` (chapter 3, "Recall kernel"). In linear time, whatever it says."""

from functools import lru_cache


@lru_cache(maxsize=1024)
def matches(type_: str, wanted: str) -> bool:
    """Is it the type that is wanted? ``*`` stands for any characters, all others for themselves."""
    first, *parts = wanted.split("*")
    if not parts:
        return type_ == wanted
    if not type_.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1]:  # the first place is as good as any
        at = type_.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(type_) - at >= len(parts[-1]) and type_.endswith(parts[-1])


@lru_cache(maxsize=1024)
def matches_any(type_: str, wanted: tuple[str, ...]) -> bool:
    """Is it one of the types that are wanted?"""
    return any(matches(type_, each) for each in wanted)
