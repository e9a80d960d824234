"""What an index has to know of a text."""

from datetime import date
from hashlib import sha256

import msgspec

from blackboard.text import Text
from blackboard.text.analysis import VERSION, Analysis, analyse

SAMPLE = (
    Text("Budget: at most 50,000! She bought the children's shoes, didn't she? supplier_price A789 ☎"),
    Text("phone meeting at 3:30 pm, then in the evening; 2026-05-08, 8 May, May 9th, noon at 12:00", "Ann Lee", date(2026, 5, 1)),
    Text("yesterday, 3 days ago, last friday, the day after tomorrow", "ann", date(2026, 5, 1)),
    Text("上周五下午三点半开会，5月8日交货，猫叫豆豆，不要香菜", "卡罗琳", date(2026, 5, 1)),
    Text("회의 15:00 ＡＢＣ Straße שָׁלוֹם مَرْحَبًا 🐈", "Søren"),
    Text("who is who?"),
    Text(""),
)
RULES, COMES_TO = "2", "771e823672e7dc3e"


def test_what_a_text_comes_to() -> None:
    """Its terms count; what it is found by beside them does not make it longer; who said it and when is in the form that a query has."""
    found = analyse(Text("The cat, the cat at 15:00 猫", "Ann LEE", date(2026, 5, 8)))
    assert found == Analysis({"cat": 2, "15:00": 1, "猫": 1, "@afternoon": 1}, 4, ("8", "may", "2026", "@2026-05-08"), "ann lee")
    assert analyse(Text("")) == Analysis({}, 0)


def test_other_rules_have_another_version() -> None:
    """If this fails, analyses that were kept before are wrong by today's rules. Raise the number in ``VERSION`` if our rules have changed,
    and write both down here (another release of PyStemmer or of Unicode is in ``VERSION`` by itself)."""
    made = [(sorted(each.counts.items()), each.length, each.days, each.speaker) for each in map(analyse, SAMPLE)]
    assert (VERSION.partition("/")[0], sha256(msgspec.json.encode(made)).hexdigest()[:16]) == (RULES, COMES_TO)
