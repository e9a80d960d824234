"""Reading messages: how many a second, none of them seen before, and that a conversation without end takes no more memory."""

import gc
from collections.abc import Iterator
from functools import partial
from random import Random

from blackboard.scent import PheromoneField, observe
from tests.benchmarks.core import frozen, timed
from tests.benchmarks.size import resident
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

ENGLISH = (
    "ship order #{code} to {name} by DHL", "please cancel order {code} for me", "I will be at {name} Road {number} then",
    "did the {word} {word} arrive yet?", "the {word} is {word} and too {word}", "bring {code} at {hour}:15 on Monday", "ok thanks, {name}",
)  # fmt: skip
CHINESE = (
    "麻烦把订单{code}寄到{han}市{han}{han}路{number}号", "请帮我取消订单{code}，谢谢", "{han}{han}{han}的质量真的不太好，有点失望",
    "收件人是{han}{han}，电话{phone}",
    "下午{hour}点以后送到{han}{han}小区可以吗", "今天{han}{han}{han}和{han}{han}都没有收到消息", "好的，{han}{han}",
)  # fmt: skip


def messages(count: int, seed: int) -> Iterator[str]:
    """Random messages of about thirty characters in English and twenty in Chinese: no two alike, as people's are."""
    random = Random(seed)
    for _ in range(count):
        yield random.choice(random.choice((ENGLISH, CHINESE))).format_map(_Drawn(random))


class _Drawn(dict[str, str]):
    """What stands in the braces: another one each time."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def __missing__(self, name: str) -> str:
        draw = self._random
        if name == "han":
            return chr(draw.randrange(0x4E00, 0x9FA6))
        if name in {"word", "name"}:
            word = "".join(draw.choices("abcdefghiklmnoprstuvwy", k=draw.randrange(3, 9)))
            return word.capitalize() if name == "name" else word
        if name == "code":
            return f"{draw.choice('ABCDEFGH')}{draw.randrange(10**6)}"
        return str({"number": draw.randrange(1, 2000), "hour": draw.randrange(1, 12), "phone": 13 * 10**9 + draw.randrange(10**9)}[name])


def observing(sizes: Sizes) -> list[Row]:
    """Messages that were not seen before, one core; then a conversation of many rounds."""
    for text in messages(sizes.few, 0):  # what the engine makes of the patterns it makes once
        observe(text)
    runs = []
    for run in range(sizes.pairs):
        texts = list(messages(sizes.writes, 1 + run))
        frozen()
        runs.append(len(texts) / timed(partial(_read, texts)) / 1e3)
    field = PheromoneField()
    _converse(field, messages(sizes.many // 10, 1000))
    gc.collect()
    before = resident()
    _converse(field, messages(sizes.many, 2000))
    gc.collect()
    grown = (resident() - before) / 1e6
    return [
        Row("short messages observed a second, English and Chinese, none seen before", "k/s", tuple(runs), 10, 20, least=True),
        Row(f"memory that {sizes.many:,} messages through observe and a field add", "MB", (max(grown, 0.0),), 8, 2),
    ]


def _read(texts: list[str]) -> None:
    for text in texts:
        observe(text)


def _converse(field: PheromoneField, texts: Iterator[str]) -> None:
    for text in texts:
        field.release(observe(text, topic=field.topic, focus=field.focus))
