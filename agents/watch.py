"""What a reader of a run must not overlook, noticed while its answers come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from auditor.store.served import Served
from auditor.types import Outcome, Reply

_CONTEXTS = frozenset(2**power for power in range(11, 21))
"""Context lengths of servers, in tokens."""
_PROMPTS_TO_SAY = 3
_CHANGES_TO_SAY = 10


class Watch:
    """Looks at the replies of one target or judge; says each thing once.

    `before`: what answered the same target or judge in this store so far, the newest first. An
    alias may come to stand for another model between two processes as well as within one.
    """

    def __init__(
        self, whose: str, alarm: Callable[[str], None], before: Sequence[Served] = ()
    ) -> None:
        self._whose = whose
        self._alarm = alarm
        self._said: set[str] = set()
        self._at_context: Counter[int] = Counter()
        self.has_answered = False
        """Whether any reply has come."""
        self.served = next((model for model, _ in before if model is not None), None)
        """The model that the endpoint last said it served."""
        self._changes = 0
        self._fingerprints = set(before)
        self._newest = {model: each for model, each in reversed(before) if each is not None}
        self._is_done_with_fingerprints = False

    def look(self, reply: Reply) -> None:
        """Notice another model or fingerprint, cut prompts, answers that thinking has used up."""
        self.has_answered = True
        tokens = reply.usage.input_tokens
        if tokens is not None and tokens in _CONTEXTS:
            self._look_at_context(tokens)
        if reply.model is not None and reply.model != self.served:
            self._look_at_model(reply.model)
        if reply.fingerprint is not None and not self._is_done_with_fingerprints:
            self._look_at_fingerprint(reply.model, reply.fingerprint)
        for choice in reply.choices:
            if choice.outcome is Outcome.EMPTY and choice.finish_reason in ("length", "max_tokens"):
                self.say(
                    "an answer was cut before its first word; a model that thinks first needs a"
                    " larger max_tokens"
                )

    def _look_at_model(self, model: str) -> None:
        last, self.served = self.served, model
        if last is None or self._changes > _CHANGES_TO_SAY:
            return
        self._changes += 1
        if self._changes <= _CHANGES_TO_SAY:
            self.say(f"the served model changed from {last} to {model}")
        else:
            self.say("the served model goes on changing; each call keeps the name of its own")
            # Of ever other models ever other fingerprints would be kept here.
            self._is_done_with_fingerprints = True

    def _look_at_fingerprint(self, model: str | None, fingerprint: str) -> None:
        """Say the first change and no more: servers that share a load may alternate."""
        last = self._newest.setdefault(model, fingerprint)
        if last != fingerprint and (model, fingerprint) not in self._fingerprints:
            self._is_done_with_fingerprints = True
            self.say(
                f"the fingerprint of {model or 'the model'} changed from {last} to {fingerprint}:"
                " its answers may come from other weights or another system"
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
