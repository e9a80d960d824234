"""Claims about files of rules."""

from pathlib import Path
from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.scent import load_rules, observe
from blackboard.scent.rules_file import SHIPPED, shipped

MINE = """
[types.gift_note]
concentration = 0.6
decay = 0.8
patterns = ['gift note: (?P<value>.+)']

[types.chatter]
decay = 0.5

[requests]
refund = ["refund", "退款"]
cancel = ["scrap"]

[parts]
courier_sure = ["Ravens"]

[words]
chatter = ["ahoy"]
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_users_add_words_patterns_types_and_decays_without_code(tmp_path: Path) -> None:
    """Over the shipped ones, which stay as they are."""
    rules = load_rules(written(tmp_path, MINE))
    assert [(scent.type, scent.value, scent.content) for scent in observe("gift note: well done", rules=rules)] == [
        ("gift_note", "well done", "Gift note: well done")
    ]
    assert [scent.decay for scent in observe("ahoy", rules=rules)] == [0.5]
    assert [scent.value for scent in observe("please refund it. 请退款", rules=rules)] == ["refund", "refund"]
    assert [scent.value for scent in observe("scrap it", rules=rules)] == ["cancel"]
    assert [scent.value for scent in observe("it flew, Ravens brought it", rules=rules)] == ["Ravens"]
    assert [scent.value for scent in observe("取消", rules=rules)] == ["cancel"]
    assert [scent.type for scent in observe("ahoy")] == ["general"]


def test_of_several_files_the_later_one_overrides(tmp_path: Path) -> None:
    """And the shipped rules are read once."""
    one = written(tmp_path, "[types.chatter]\ndecay = 0.5\n", "one.toml")
    two = written(tmp_path, "[types.chatter]\ndecay = 0.6\n", "two.toml")
    assert load_rules(one, two).types["chatter"].decay == 0.6
    assert load_rules(two, one).types["chatter"].decay == 0.5
    assert shipped() is shipped()
    assert shipped().types["chatter"].decay == 0.3
    assert SHIPPED == ("en.toml", "zh.toml", "travel_en.toml", "travel_zh.toml")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[types.x]\nconcentration = 0.5\ndecay = 2\n", 3, "types.x.decay: 2 is not a number from 0 to 1"),
        ("[types.x]\nconcentration = 0.5\ndecay = 0.5\npatterns = [\n  'ok',\n  '(a',\n]\n", 6, "regular expression '(a'"),
        ("# decay = 3\n[types.y]\ndecay = 1\nconcentration = 1\n\n[types.x]\ndecay = 3\n", 7, "types.x.decay"),
        ("[types.shipping_address]\nlabel = ''\n", 2, "types.shipping_address.label"),
        ("[types.shipping_address]\n\npatterns = ['(?P<val>a)']\n", 3, "'val'"),
        ("[types.x]\ndecay = 0.5\n", 1, "types.x: it has no concentration"),
        ("[parts]\nx = ['a']\n\n[types.x]\ndecay = 0.5\n", 4, "types.x: it has no concentration"),
        ("[words]\nnegation = ['no']\nnegatoin = ['no']\n", 3, "words.negatoin"),
        ("[parts]\nmax = ['a']\nx = 3\n", 3, "parts.x"),
        ("[parts]\nxylo = ['a']\nx = 3\n", 3, "parts.x"),
        ("[wrods]\n", 1, "wrods: there is no such table"),
        ('[types.shipping_address]\n\npatterns = ["\\bto (?P<value>.+)"]\n', 3, "use single quotes"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_value(tmp_path: Path, text: str, line: int, what: str) -> None:
    """So that it is found at once."""
    path = written(tmp_path, text)
    with pytest.raises(BadValue) as caught:
        load_rules(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert what in str(caught.value)


def test_the_file_that_is_wrong_is_named_of_several(tmp_path: Path) -> None:
    """Whichever comes last."""
    wrong = written(tmp_path, "[types.x]\nconcentration = 0.5\ndecay = 0.5\npatterns = ['(a']\n", "wrong.toml")
    right = written(tmp_path, "[types.x]\nconcentration = 0.5\ndecay = 0.5\npatterns = ['b']\n", "right.toml")
    with pytest.raises(BadValue, match=r"wrong\.toml, line 4"):
        load_rules(wrong, right)


def test_what_is_no_file_or_no_toml_is_named(tmp_path: Path) -> None:
    """With the line of the syntax error."""
    with pytest.raises(BadValue, match=r"gone\.toml cannot be read"):
        load_rules(tmp_path / "gone.toml")
    with pytest.raises(BadValue, match=r"mine\.toml is not TOML: .*line 2"):
        load_rules(written(tmp_path, "a = 1\nb = \n"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(BadValue, match=r"bytes\.toml cannot be read"):
        load_rules(tmp_path / "bytes.toml")
    with pytest.raises(BadValue, match="null byte"):
        load_rules("a\0b")


def test_a_file_may_begin_with_the_mark_that_some_editors_write(tmp_path: Path) -> None:
    """A byte order mark is nothing of TOML's."""
    rules = load_rules(written(tmp_path, "\ufeff" + MINE))
    assert [scent.value for scent in observe("scrap it", rules=rules)] == ["cancel"]


def test_a_file_is_loaded_before_it_is_read_by(tmp_path: Path) -> None:
    """Its name is no rules, and the error says how to get them."""
    name: Any = str(written(tmp_path, ""))
    with pytest.raises(BadValue, match=r"mine\.toml' are none: give those of load_rules"):
        observe("hello", rules=name)


def test_a_pattern_that_would_run_for_ever_elsewhere_ends(tmp_path: Path) -> None:
    """The engine takes linear time; a backtracking one would take 2ⁿ steps for these."""
    rules = load_rules(
        written(tmp_path, "[types.x]\nconcentration = 0.5\ndecay = 0.5\npatterns = ['(a+)+$', '(?P<value>(?:a|aa)+)c', '(x+x+)+y']\n")
    )
    assert [scent.type for scent in observe("a" * 4000 + "b", rules=rules)] == ["general"]
    assert [scent.type for scent in observe("x" * 4000, rules=rules)] == ["general"]
