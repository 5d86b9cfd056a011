"""What a run may spend, in money, calls or tokens: reserved before a call, settled after it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auditor.canonical import canonical_json
from auditor.types import JSON, Message, Price, Usage

_TOKENS_PER_MESSAGE = 16
_NANO = 1_000_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The most that one call can use; None where there is no bound or no price."""

    input_tokens: int
    output_tokens: int | None
    usd: float | None

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        return None if self.output_tokens is None else self.input_tokens + self.output_tokens


def estimate(
    messages: Iterable[Message],
    *,
    max_tokens: int | None,
    choices: int = 1,
    price: Price | None = None,
    schema: Mapping[str, JSON] | None = None,
) -> Estimate:
    """An upper estimate of one call.

    Input: the messages' UTF-8 bytes (no tokenizer gives more tokens than bytes), 16 more a
    message for what chat formats put around it, and the bytes of a schema sent along. Output: the
    cap times the choices, None without a cap.
    """
    input_tokens = sum(
        len(message.content.encode("utf-8", "surrogatepass")) + _TOKENS_PER_MESSAGE
        for message in messages
    )
    if schema is not None:
        input_tokens += len(canonical_json(dict(schema)))
    output_tokens = None if max_tokens is None else max_tokens * choices
    usd = None
    if price is not None and output_tokens is not None:
        usd = (input_tokens * price.input + output_tokens * price.output) / 1e6
    return Estimate(input_tokens=input_tokens, output_tokens=output_tokens, usd=usd)


class Budget:
    """One for a whole run, shared by all endpoints. Spent plus reserved never passes a limit.

    Each call: `reserve` its estimate before it is sent, then exactly one of `settle` (it was
    answered), `forget` (it was not sent, or was refused) and `keep` (nobody knows: it stays
    counted at its estimate). Money is kept in whole billionths of a dollar, so that a million
    reservations and settlements leave no remainder.
    """

    def __init__(
        self, *, usd: float | None = None, calls: int | None = None, tokens: int | None = None
    ) -> None:
        self.usd_limit = usd
        self.calls_limit = calls
        self.tokens_limit = tokens
        self._nano_limit = None if usd is None else math.floor(usd * _NANO)
        self._calls = _Account()
        self._tokens = _Account()
        self._nano = _Account()
        self.excess: str | None = None
        """A sentence once a call has used more than was reserved for it; else None."""

    @property
    def open_reservations(self) -> int:
        """Calls reserved and not settled: while there are some, a refusal may be temporary."""
        return self._calls.reserved

    @property
    def exceeded_reservation(self) -> bool:
        """Whether a call used more than was reserved: nothing more is reserved then."""
        return self.excess is not None

    @property
    def reserved_usd(self) -> float:
        """US dollars set aside for calls under way."""
        return self._nano.reserved / _NANO

    @property
    def spent_usd(self) -> float:
        """US dollars spent, calls of unknown outcome at their estimate; unpriced calls count 0."""
        return self._nano.spent / _NANO

    @property
    def spent_calls(self) -> int:
        """Calls made."""
        return self._calls.spent

    @property
    def spent_tokens(self) -> int:
        """Tokens used, calls of unknown outcome at their estimate."""
        return self._tokens.spent

    def restore(self, *, calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        """Count what earlier processes of the run spent, calls of unknown outcome included."""
        self._calls.spent += calls
        self._tokens.spent += tokens
        self._nano.spent += math.ceil(usd * _NANO)

    def reserve(self, call: Estimate) -> bool:
        """Set the estimate aside; False if it doesn't fit, or after an excess.

        Raises ValueError for a call without a bound in what is limited: such a limit needs an
        output cap (tokens, money) and a price (money), which the plan makes sure of.
        """
        tokens, nano = self._bounds(call)
        if self.excess is not None:
            return False
        fits = (
            self._calls.fits(1, self.calls_limit)
            and self._tokens.fits(tokens, self.tokens_limit)
            and self._nano.fits(nano, self._nano_limit)
        )
        if fits:
            self._calls.reserved += 1
            self._tokens.reserved += tokens
            self._nano.reserved += nano
        return fits

    def settle(self, call: Estimate, usage: Usage, usd: float | None) -> None:
        """Replace a reservation by what was used; what the endpoint doesn't say stays counted."""
        tokens, nano = self._bounds(call)
        used_tokens, used_nano = tokens, nano
        if usage.input_tokens is not None and usage.output_tokens is not None:
            used_tokens = usage.input_tokens + usage.output_tokens
        if usd is not None:
            used_nano = math.ceil(usd * _NANO)
        if self.tokens_limit is not None and used_tokens > tokens:
            self.excess = f"a call used {used_tokens} tokens where {tokens} were reserved"
        if self._nano_limit is not None and used_nano > nano:
            cost, held = used_nano / _NANO, nano / _NANO
            self.excess = f"a call cost {cost:.6f} USD where {held:.6f} USD were reserved"
        self._calls.settle(1, 1)
        self._tokens.settle(tokens, used_tokens)
        self._nano.settle(nano, used_nano)

    def keep(self, call: Estimate) -> None:
        """Count a call of unknown outcome at its estimate."""
        self.settle(call, Usage(), None)

    def forget(self, call: Estimate, *, was_sent: bool = True) -> None:
        """Give a reservation back: the call was refused, or (`was_sent` False) never made."""
        tokens, nano = self._bounds(call)
        self._calls.settle(1, 1 if was_sent else 0)
        self._tokens.settle(tokens, 0)
        self._nano.settle(nano, 0)

    def _bounds(self, call: Estimate) -> tuple[int, int]:
        if self.tokens_limit is not None and call.tokens is None:
            raise ValueError("a budget in tokens needs an output cap for every call")
        if self._nano_limit is not None and call.usd is None:
            raise ValueError("a budget in usd needs an output cap and a price for every call")
        tokens = call.input_tokens if call.tokens is None else call.tokens
        return tokens, 0 if call.usd is None else math.ceil(call.usd * _NANO)


@dataclass(slots=True)
class _Account:
    spent: int = 0
    reserved: int = 0

    def fits(self, amount: int, limit: int | None) -> bool:
        return limit is None or self.spent + self.reserved + amount <= limit

    def settle(self, reserved: int, used: int) -> None:
        self.reserved -= reserved
        self.spent += used
