"""A very small terminal: what a person would see of what was written."""

import re

_TOKEN = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Screen:
    """Knows the codes that the live view uses, and fails on any other."""

    def __init__(self, width: int, height: int = 100) -> None:
        self.width = width
        self.height = height
        self.rows: list[str] = [""]
        self.row = 0
        self.column = 0
        self.wraps = True
        self.cursor_visible = True

    @property
    def lines(self) -> list[str]:
        """Everything written so far, scrolled off or not."""
        return [row.rstrip() for row in self.rows]

    def feed(self, written: str) -> None:
        end = 0
        for token in _TOKEN.finditer(written):
            assert token.start() == end, f"unknown code at {written[end : end + 20]!r}"
            end = token.end()
            private, arguments, letter, control, text = token.groups()
            if text:
                self._write(text)
            elif control == "\r":
                self.column = 0
            elif control == "\n":
                # A terminal driver sends a carriage return before it.
                self._down()
                self.column = 0
            elif private:
                self._mode(arguments, letter == "h")
            else:
                self._move(int(arguments or 1) if letter != "m" else 0, letter)
        assert end == len(written), f"unknown code at {written[end : end + 20]!r}"

    def rewrap(self, width: int) -> None:
        """Become narrower as most terminals do: long rows are broken, the cursor moves along."""
        rows: list[str] = []
        row = 0
        for number, text in enumerate(self.lines):
            if number == self.row:
                row = len(rows)
            rows += [text[at : at + width] for at in range(0, len(text), width)] or [""]
        self.rows, self.row, self.width = rows, row, width

    def _write(self, text: str) -> None:
        for character in text:
            if self.column >= self.width:
                if not self.wraps:
                    self.column = self.width - 1
                else:
                    self._down()
                    self.column = 0
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[: self.column] + character + line[self.column + 1 :]
            self.column += 1

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append("")

    def _mode(self, number: str, on: bool) -> None:
        assert number in {"7", "25", "2026"}
        if number == "7":
            self.wraps = on
        if number == "25":
            self.cursor_visible = on

    def _move(self, count: int, letter: str) -> None:
        if letter == "A":
            top = max(0, len(self.rows) - self.height)
            self.row = max(top, self.row - count)
        elif letter == "B":
            self.row = min(len(self.rows) - 1, self.row + count)
        elif letter == "K":
            assert count == 2
            self.rows[self.row] = ""
        else:
            assert letter == "m"
