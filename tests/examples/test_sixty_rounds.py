"""examples.sixty_rounds: the sixty-round assistant of chapter 2, in two languages."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from blackboard.testing import running_board
from blackboard.tokens import count_tokens
from bus.messages import Assembled
from examples.sixty_rounds.assistant import Assistant
from examples.sixty_rounds.comparison import Row, compare, table
from examples.sixty_rounds.course import COURSE, ROUNDS, Keep
from examples.sixty_rounds.memories import SIZE, shortened, window
from examples.sixty_rounds.plot import figure
from examples.sixty_rounds.story import BUDGET, SCRIPTS, converse
from tests.agents.cli.commands import ROOT, pheroboard

AT_THE_END = {"meeting": 2.23, "coriander": 3.47, "chocolate": 6.07, "cat": 2.50}
"""Strengths at round 60, before assembly uses anything."""


READMES = {"en": "README.md", "zh": "README.zh-CN.md"}


class Played(NamedTuple):
    """A conversation that has come to its question."""

    assistant: Assistant
    section: Assembled
    asked: Assembled

    def notes(self, section: Assembled) -> set[str]:
        """What is in a section, by the names of the notes."""
        names = {content: note for note, content in self.assistant.script.notes.items()}
        return {names[hit.item.content] for hit in section.chosen}


@pytest.fixture(params=SCRIPTS)
def language(request: pytest.FixtureRequest) -> str:
    """What is claimed holds in each."""
    return str(request.param)


@pytest.fixture
async def played(language: str) -> AsyncIterator[Played]:
    """Both conversations on one board; the one in ``language``."""
    async with running_board(*SCRIPTS) as running:
        assistants = {each: Assistant(running[each], script) for each, script in SCRIPTS.items()}
        await converse(assistants.values())
        board, script = running[language], SCRIPTS[language]
        section = await board.assemble(script.turns[-1].said, max_tokens=BUDGET)
        yield Played(assistants[language], section, await board.assemble(script.cat_question, max_tokens=BUDGET))


def test_the_script_is_whole(language: str) -> None:
    """Sixty rounds, each with what was said and what was answered, and words for each note of the course."""
    script = SCRIPTS[language]
    assert len(script.turns) == ROUNDS
    assert all(turn.said and turn.answered for turn in script.turns)
    kept = [act.note for acts in COURSE.values() for act in acts if isinstance(act, Keep)]
    assert list(script.notes) == kept
    assert len(set(script.notes.values())) == len(kept) >= 25


def test_the_strengths(played: Played) -> None:
    """At the question; the first three ends of a round do not evaporate a note, and a confirmation does not protect it anew."""
    strengths = played.assistant.strengths
    assert {note: round(strengths[note][ROUNDS], 2) for note in AT_THE_END} == AT_THE_END
    assert [round(strengths["chocolate"][number], 2) for number in (2, 5, 6)] == [8.0, 8.0, 7.96]
    assert [round(strengths["meeting"][number], 2) for number in (8, 9, 10, 11, 12, 13)] == [5.0, 5.0, 5.5, 5.5, 5.89, 5.77]
    assert (min(strengths["coupon"]), max(strengths["coupon"])) == (5, 24)  # faded at 25


def test_what_is_assembled(played: Played) -> None:
    """What bears on the question, and nothing else of the sixty rounds; it costs little more than what it says."""
    assert played.notes(played.section) == {"meeting", "coriander", "chocolate"}
    assert played.section.tokens == count_tokens(played.section.text)
    assert played.section.tokens <= 100 + sum(count_tokens(hit.item.content) for hit in played.section.chosen)


def test_the_cat(played: Played) -> None:
    """Its name is found when it is asked for, with what has to do with the cat, and with no other topic."""
    assert "cat" in played.notes(played.asked) <= {"cat", "chocolate", "shedding"}


def test_the_table(played: Played) -> None:
    """As chapter 2 has it, and as the README shows it. What the chapter leaves open ("perhaps") this summary has lost."""
    *rows, costs = compare(played.assistant.script, played.assistant.strengths, played.section, played.asked)
    assert rows == [
        Row("the meeting, with its exact time", "lost", "something in the afternoon", "assembled (2.23)"),
        Row("no coriander", "lost", "lost", "assembled (3.47)"),
        Row("never chocolate (hard)", "lost", "lost", "assembled (6.07)"),
        Row("the cat's name", "lost", "lost", "found when asked for (2.50)"),
        Row("the coupon", "–", "–", "faded at round 25, not recalled"),
    ]
    by_window, by_summary, by_network = (int(cost.removesuffix(" tokens")) for cost in costs[1:])
    assert by_network < by_window < by_summary
    assert table([*rows, costs]) in (ROOT / READMES[played.assistant.script.language]).read_text("utf-8")


def test_the_window(language: str) -> None:
    """It holds the ten rounds before the question."""
    turns = SCRIPTS[language].turns
    assert window(turns[:-1]).count("user: ") == 10
    assert window(turns[:-1]).startswith(f"user: {turns[49].said}\n")


def test_a_summary_is_as_long_as_it_may_be(language: str) -> None:
    """It stays within its size, and leaves nothing out that would fit."""
    kept = shortened([text for turn in SCRIPTS[language].turns for text in turn])
    assert SIZE - 20 < sum(count_tokens(each + "\n") for each in kept) <= SIZE


def test_what_a_summary_keeps() -> None:
    """What binds or counts, then the newest; no questions; in the order in which it was said."""
    assert shortened(["It is late.", "Is it?", "You must go."]) == ["It is late.", "You must go."]
    chat = [f"It was {each} that day, as we all remember. " * 10 for each in ("warm", "cold", "wet", "dry", "grey")]
    assert shortened(["Never be late.", *chat]) == ["Never be late.", *chat[2:]]


def test_the_plot(played: Played) -> None:
    """A curve for each note that shows its strength in each round in which it stood."""
    [axes] = figure(played.assistant.strengths).axes
    curves = {line.get_label(): np.asarray(line.get_xydata()).tolist() for line in axes.lines}
    assert set(played.assistant.strengths) == set(played.assistant.script.notes) < set(curves)
    for note, strengths in played.assistant.strengths.items():
        assert curves[note] == [[number, strength] for number, strength in strengths.items()]


def test_as_a_person_runs_it(language: str, tmp_path: Path) -> None:
    """One language prints its table, the section and the cat's name; the plot is a PNG."""
    picture = tmp_path / "strengths.png"
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/sixty_rounds"), "--language", language, "--plot", str(picture))
    assert (done.code, done.err) == (0, "")
    assert f"[{language}] round 60" in done.out
    assert "assembled (2.23)" in done.out
    assert SCRIPTS[language].notes["meeting"] in done.out
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("where", ["nowhere/strengths.png", "."])
def test_a_picture_that_cannot_be_drawn(where: str, tmp_path: Path) -> None:
    """Is told of before the rounds are played."""
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/sixty_rounds"), "--plot", str(tmp_path / where))
    assert done.code == 1
    assert "name a file, in a folder that is there" in done.err
    assert "round 60" not in done.out


def test_what_it_does_not_know(tmp_path: Path) -> None:
    """An option that is none ends it with a word, and the server that it runs on in order."""
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/sixty_rounds"), "--language", "fr")
    assert done.code == 2
    assert "invalid choice: 'fr'" in done.err
    assert "Traceback" not in done.err
