"""The drawn region: what a person sees after frames, messages and a narrower window."""

import io
import threading

import pytest
from rich.console import Console
from rich.text import Text

from auditor.live.region import Region
from tests.live.screen import Screen


class Terminal:
    """A console whose output a screen shows."""

    def __init__(self, width: int = 30, height: int = 20) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file, force_terminal=True, width=width, height=height, color_system=None
        )
        self.screen = Screen(width)
        self.region = Region(self.console)

    def seen(self) -> list[str]:
        self.screen.feed(self.file.getvalue())
        self.file.seek(0)
        self.file.truncate()
        return self.screen.lines


def texts(*lines: str) -> list[Text]:
    return [Text(line) for line in lines]


def test_a_frame_takes_the_place_of_the_one_before() -> None:
    terminal = Terminal()
    terminal.region.open()
    terminal.region.draw(texts("one", "two", "three"))
    assert terminal.seen() == ["one", "two", "three"]
    terminal.region.draw(texts("ONE", "TWO"))
    assert [line for line in terminal.seen() if line] == ["ONE", "TWO"]
    terminal.region.draw(texts("1", "2", "3", "4"))
    assert terminal.seen() == ["1", "2", "3", "4"]


def test_messages_stand_above_the_frame_in_their_order() -> None:
    terminal = Terminal()
    terminal.region.say(Text("before"))
    terminal.region.open()
    terminal.region.draw(texts("frame", "foot"))
    terminal.region.say(Text("first"))
    terminal.region.say(Text("second\nthird"))
    assert terminal.seen() == ["before", "first", "second", "third", "frame", "foot"]


def test_a_message_wider_than_the_screen_is_shown_whole() -> None:
    terminal = Terminal(width=10)
    terminal.region.open()
    terminal.region.draw(texts("frame"))
    terminal.region.say(Text("a message of many words"))
    seen = terminal.seen()
    assert "".join(seen[:-1]).replace(" ", "") == "amessageofmanywords"
    assert seen[-1] == "frame"


def test_whatever_else_is_printed_on_the_console_stands_above_too() -> None:
    terminal = Terminal()
    terminal.region.open()
    terminal.region.draw(texts("frame"))
    terminal.console.print("printed")
    assert terminal.seen() == ["printed", "frame"]


def test_closing_leaves_the_last_frame_and_the_cursor_below() -> None:
    terminal = Terminal()
    terminal.region.open()
    assert not terminal.seen() or terminal.screen.cursor_visible is False
    terminal.region.draw(texts("frame", "foot"))
    terminal.region.close()
    terminal.region.close()
    terminal.region.draw(texts("late"))
    terminal.console.print("$ prompt")
    assert terminal.seen() == ["frame", "foot", "$ prompt", ""]
    assert terminal.screen.cursor_visible
    assert terminal.screen.wraps


@pytest.mark.parametrize("width", [29, 15, 7])
def test_a_narrower_window_leaves_no_rest_of_the_frame(width: int) -> None:
    terminal = Terminal(width=30)
    terminal.region.open()
    terminal.region.say(Text("said"))
    terminal.region.draw(texts("x" * 30, "y" * 8, "z" * 30))
    terminal.seen()
    terminal.screen.rewrap(width)
    terminal.console.width = width
    terminal.region.draw(texts("small", "frame"))
    assert [line for line in terminal.seen() if line] == ["said", "small", "frame"]


def test_the_echo_of_a_key_does_not_move_the_frame() -> None:
    terminal = Terminal(width=5)
    terminal.region.open()
    terminal.region.draw(texts("frame", "full!"))
    terminal.seen()
    terminal.screen.feed("^C")
    terminal.region.say(Text("Bye"))
    assert terminal.seen() == ["Bye", "frame", "full!"]


def test_a_character_wider_than_expected_does_not_break_a_line() -> None:
    terminal = Terminal(width=4)
    terminal.region.open()
    # Six characters of a joined emoji that rich counts as two cells, and this screen as six.
    terminal.region.draw(texts("ab\u0301\u0301\u0301\u0301", "foot"))
    terminal.region.draw(texts("done", "foot"))
    assert [line for line in terminal.seen() if line] == ["done", "foot"]


def test_many_threads_never_mix_their_lines() -> None:
    terminal = Terminal(width=60)
    terminal.region.open()
    terminal.region.draw(texts("frame", "foot"))

    def talk(name: str) -> None:
        for number in range(20):
            terminal.region.say(Text(f"{name} says {number}"))
            terminal.region.draw(texts(f"frame by {name}", "foot"))

    threads = [threading.Thread(target=talk, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = terminal.seen()
    assert sorted(seen[:-2]) == sorted(f"{name} says {n}" for name in "abcd" for n in range(20))
    assert seen[-1] == "foot"
