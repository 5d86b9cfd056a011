"""What a reader of a run must not overlook, noticed while its answers come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from auditor.types import Outcome, Reply

_CONTEXTS = frozenset(2**power for power in range(11, 21))
"""Context lengths of servers, in tokens."""
_PROMPTS_TO_SAY = 3


class Watch:
    """Looks at the replies of one target or judge; says each thing once."""

    def __init__(self, whose: str, alarm: Callable[[str], None]) -> None:
        self._whose = whose
        self._alarm = alarm
        self._said: set[str] = set()
        self._at_context: Counter[int] = Counter()
        self.has_answered = False
        """Whether any reply has come."""
        self.served: str | None = None
        """The model that the endpoint last said it served."""

    def look(self, reply: Reply) -> None:
        """Notice a changed model, prompts that were cut, answers that thinking has used up."""
        self.has_answered = True
        tokens = reply.usage.input_tokens
        if tokens is not None and tokens in _CONTEXTS:
            self._look_at_context(tokens)
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

    def _look_at_context(self, tokens: int) -> None:
        """Some servers cut a longer prompt silently: then the count is their context's own."""
        self._at_context[tokens] += 1
        if self._at_context[tokens] == _PROMPTS_TO_SAY:
            self.say(
                f"several prompts have {tokens} tokens by the endpoint's own count, which is a"
                " context's length: longer ones are cut there silently; raise it at the server"
                " (Ollama: num_ctx)"
            )

    def say(self, sentence: str) -> None:
        """Raise an alarm about it, once for each sentence."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._alarm(f"{self._whose}: {sentence}")
