"""agents.plot: curves as a picture."""

import subprocess
import sys
from pathlib import Path

import pytest

from agents import plot
from blackboard.errors import BadValue, NotInstalled

CURVES = {"rain": {1: 0.5, 2: 0.25}, "sun": {2: 1.0}}


def test_all_in_colour() -> None:
    """A line for each curve, through its values, and a legend that names them."""
    [axes] = plot.figure(CURVES, title="Weather", values="how much").axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("Weather", "round", "how much")
    [axes] = plot.figure(CURVES, title="Weather", values="how much", over="day").axes
    assert axes.get_xlabel() == "day"
    assert {str(line.get_label()): list(line.get_ydata()) for line in axes.lines} == {"rain": [0.5, 0.25], "sun": [1.0]}  # type: ignore[arg-type]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["rain", "sun"]


def test_panels() -> None:
    """A picture for each name, over the same; those of several curves have a legend."""
    drawn = plot.panels({"weather": CURVES, "tides": {"high": {1: 3.0}}}, title="Coast", over="day")
    assert [(axes.get_title(), axes.get_xlabel(), len(axes.lines)) for axes in drawn.axes] == [("weather", "day", 2), ("tides", "day", 1)]
    assert [axes.get_legend() is not None for axes in drawn.axes] == [True, False]
    assert all(axes.get_ylim()[0] == 0.0 for axes in drawn.axes)


def test_axes_of_panels() -> None:
    """Shares reach from 0 % to 100 % whatever their values, counts have whole numbers alone, and no point is cut by the frame."""
    pictures = {"rain": {"share": {1: 0.2, 2: 0.4}}, "storms": {"none": {1: 0.0, 2: 0.0}}, "floods": {"some": {1: 1.0, 2: 2.0}}}
    drawn = plot.panels(pictures, title="Coast", over="day", shares=["rain"], counts=["storms", "floods"])
    drawn.draw_without_rendering()
    rain, storms, floods = drawn.axes
    assert rain.get_ylim() == (0.0, 1.0)
    assert [label.get_text() for label in rain.get_yticklabels()][:: len(rain.get_yticks()) - 1] == ["0%", "100%"]
    assert storms.get_ylim() == (0.0, 1.0)
    assert all(tick == round(tick) for axes in (storms, floods) for tick in axes.get_yticks())
    assert not any(line.get_clip_on() for axes in drawn.axes for line in axes.lines)


def test_some_told() -> None:
    """The others are grey and lie beneath; each that is told has a word at its end, in its colour."""
    [axes] = plot.figure({**CURVES, "fog": {1: 0.1}}, title="", values="", told={"rain": "red", "sun": "gold"}, ends={"sun": "it set"}).axes
    assert {str(line.get_label()): line.get_color() for line in axes.lines} == {"fog": "lightgrey", "rain": "red", "sun": "gold"}
    assert [line.get_label() for line in axes.lines] == ["fog", "rain", "sun"]
    assert {text.get_text(): text.get_color() for text in axes.texts} == {"it set": "gold", "rain 0.25": "red"}


def test_a_file(tmp_path: Path) -> None:
    """It is a PNG, also of no curve; where none can be, that is told with the cure."""
    path = tmp_path / "weather.png"
    plot.ready(path)
    plot.save(plot.figure({}, title="", values=""), path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(BadValue, match=r"cannot be written .*: name another file"):
        plot.save(plot.figure({}, title="", values=""), tmp_path)


@pytest.mark.parametrize("where", [".", "nowhere/weather.png"])
def test_where_no_file_can_be(where: str, tmp_path: Path) -> None:
    """Is told of before there is anything to draw."""
    with pytest.raises(BadValue, match="name a file, in a folder that is there"):
        plot.ready(tmp_path / where)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What brings it is told, before there is anything to draw."""
    monkeypatch.setattr(plot, "find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pip install 'pheroboard\[plot\]'"):
        plot.ready(tmp_path / "weather.png")


def test_it_is_loaded_last() -> None:
    """Importing this imports no matplotlib, which takes a second."""
    said = subprocess.run(
        [sys.executable, "-c", "import sys, agents.plot; print('matplotlib' in sys.modules)"], capture_output=True, text=True, check=True
    )
    assert said.stdout == "False\n"
