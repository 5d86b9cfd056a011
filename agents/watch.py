"""What a reader of a run must not overlook, noticed while its answers come in."""

from __future__ import annotations

from collections.abc import Callable

from auditor.types import Outcome, Reply


class Watch:
    """Looks at the replies of one target or judge; says each thing once."""

    def __init__(self, whose: str, alarm: Callable[[str], None]) -> None:
        self._whose = whose
        self._alarm = alarm
        self._said: set[str] = set()
        self.has_answered = False
        """Whether any reply has come."""
        self.served: str | None = None
        """The model that the endpoint last said it served."""

    def look(self, reply: Reply) -> None:
        """Notice a served model that changes, and answers that thinking has used up."""
        self.has_answered = True
        if reply.model is not None and reply.model != self.served:
            if self.served is not None:
                self.say(f"the served model changed from {self.served} to {reply.model}")
            self.served = reply.model
        for choice in reply.choices:
            if choice.outcome is Outcome.EMPTY and choice.finish_reason in ("length", "max_tokens"):
                self.say(
                    "an answer was cut before its first word; a model that thinks first needs a"
                    " larger max_tokens"
                )

    def say(self, sentence: str) -> None:
        """Raise an alarm about it, once for each sentence."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._alarm(f"{self._whose}: {sentence}")
