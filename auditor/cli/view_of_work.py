"""The live view of a command that works on a store: drawn from the moment when work begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.cli.output import say, stderr

if TYPE_CHECKING:
    from auditor.live.view import View


class ViewOfWork:
    """What the work is given: where it speaks, and how it tells that it has begun."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.is_begun = False

    def begun(self) -> None:
        """Draw the view from now on."""
        self.is_begun = True
        self._view.start()

    def say(self, text: str) -> None:
        """A sentence: above the view where one is drawn."""
        if self.is_begun:
            self._view.say(text)
        else:
            say(text)


@contextmanager
def view_of_work(store: Path) -> Iterator[ViewOfWork]:
    """A view of a store on stderr, which may not be there yet; stopped and closed at the end."""
    from auditor.live import is_drawn, open_view
    from auditor.live.reader import ProgressReader

    reader = ProgressReader(store, with_headlines=is_drawn(stderr()))
    view = open_view(reader, stderr())
    work = ViewOfWork(view)
    try:
        yield work
    finally:
        if work.is_begun:
            view.stop()
        reader.close()
