"""CrossWOZ, https://github.com/thu-coai/CrossWOZ (Apache 2.0; Zhu et al., TACL 2020): travellers in Chinese, and what each turn states.

The data is not part of this project: whoever has the file gives its path.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

TOPICS = {"景点": "attraction", "餐馆": "restaurant", "酒店": "hotel", "出租": "taxi", "地铁": "metro"}
SLOTS = {
    "名称": "name",
    "价格": "price",
    "人均消费": "price",
    "门票": "price",
    "评分": "rating",
    "游玩时间": "duration",
    "酒店类型": "type",
    "推荐菜": "dish",
    "出发地": "from",
    "目的地": "to",
}
FACILITY = "酒店设施-"


class Stated(NamedTuple):
    """A value that a user states."""

    type: str
    target: str | None
    value: str


class Said(NamedTuple):
    """One turn of a user."""

    text: str
    stated: tuple[Stated, ...]


class Dialogue(NamedTuple):
    """The turns of a user, in order. What the other one answers is left out."""

    name: str
    said: tuple[Said, ...]


def load(path: Path) -> list[Dialogue]:
    """All dialogues of a file."""
    return [Dialogue(name, tuple(_turns(data))) for name, data in json.loads(path.read_text(encoding="utf-8")).items()]


def _turns(data: Mapping[str, Any]) -> list[Said]:
    return [Said(each["content"], tuple(_stated(each["dialog_act"]))) for each in data["messages"] if each["role"] == "usr"]


def _stated(acts: list[list[str]]) -> list[Stated]:
    found = []
    for intent, topic, slot, value in acts:
        if intent != "Inform":
            continue
        if slot.startswith(FACILITY):
            if value == "是":
                facility = slot.removeprefix(FACILITY)
                found.append(Stated("hotel_facility", facility, facility))
        elif slot in SLOTS:
            found.append(Stated(f"{TOPICS[topic]}_{SLOTS[slot]}", None, value))
    return found


_SPELLINGS = (
    (r"\s+", ""),
    (r"半个?小时", "0.5小时"),
    (r"(?<=\d)个(?=小时)", ""),
    (r"(?<=[\d时天元分])[到至~–—、](?=\d)", "-"),
    (r"(?<=\d)(?:小时|天|元|分)-(?=\d)", "-"),
    (r"(?<=\d)(?:元|块钱?|分)", ""),
    (r"型$", ""),
)
"""What is said in several ways alike: blanks, ranges, the units of money and points."""


def folded(value: str) -> str:
    """A value in one spelling, so that what means the same compares as equal."""
    value = unicodedata.normalize("NFKC", value).lower()
    for pattern, plain in _SPELLINGS:
        value = re.sub(pattern, plain, value)
    return value
