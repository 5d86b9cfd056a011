"""Response headers that say how much is left and when to come back."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from auditor.types import RateHints

_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST_DURATION = 40
"""Characters of a duration; of a longer run of digits every tail would be looked at anew."""
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_MOST_LEFT = 1e15
"""No allowance is so large: more says as little as this."""
_LONGEST_SECONDS = 31 * 86400.0
"""A month: nobody waits for a later time, and one so far away is a mistake."""
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12
_REQUESTS = (
    "x-ratelimit-remaining-requests",
    "anthropic-ratelimit-requests-remaining",
    "x-ratelimit-remaining",
    "ratelimit-remaining",
)
_TOKENS = (
    "x-ratelimit-remaining-tokens",
    "anthropic-ratelimit-tokens-remaining",
    "anthropic-ratelimit-input-tokens-remaining",
    "anthropic-ratelimit-output-tokens-remaining",
)
_RESETS = {
    "x-ratelimit-remaining-requests": "x-ratelimit-reset-requests",
    "x-ratelimit-remaining-tokens": "x-ratelimit-reset-tokens",
    "x-ratelimit-remaining": "x-ratelimit-reset",
    "ratelimit-remaining": "ratelimit-reset",
}


def retry_after_seconds(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or HTTP date), or None.

    A date is compared with the response's own Date header where it has one, so that a wrong
    clock on either side does not matter; else with `now` (seconds since the epoch, default the
    system clock). Never negative; what cannot be read, and more than a month, is None.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None and (wait := _awaited(milliseconds / 1000)) is not None:
        return wait
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return _awaited(seconds)
    moment = _http_date(value)
    return None if moment is None else _awaited(moment - _server_time(headers, now))


def rate_hints(headers: Mapping[str, str], *, now: float | None = None) -> RateHints | None:
    """What is left by `x-ratelimit-*` or `anthropic-ratelimit-*` headers; None without any.

    Of several token allowances the smallest counts. `reset_seconds` is given only where
    something is used up, as the longest time among what is.
    """
    requests = _remaining(headers, _REQUESTS)
    tokens = _remaining(headers, _TOKENS)
    if not requests and not tokens:
        return None
    spent = [name for name, left in (*requests, *tokens) if left <= 0]
    waits = [_reset_seconds(headers.get(_reset_name(name)), headers, now) for name in spent]
    known = [wait for wait in waits if wait is not None]
    return RateHints(
        remaining_requests=min((left for _, left in requests), default=None),
        remaining_tokens=min((left for _, left in tokens), default=None),
        reset_seconds=max(known, default=None),
    )


def duration_seconds(text: str) -> float | None:
    """Seconds of a duration such as "6ms", "1.5s" or "1m30s"; None for anything else.

    More than a month is None, too.
    """
    text = text.strip()
    if len(text) > _LONGEST_DURATION:
        return None
    parts = _DURATION_PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return _awaited(sum(float(number) * _DURATION_UNITS[unit] for number, unit in parts))


def _remaining(headers: Mapping[str, str], names: tuple[str, ...]) -> list[tuple[str, int]]:
    found = []
    for name in names:
        value = headers.get(name)
        if value is not None and (number := _number(value)) is not None:
            found.append((name, int(min(number, _MOST_LEFT))))
    return found


def _reset_name(remaining_name: str) -> str:
    return _RESETS.get(remaining_name) or remaining_name.removesuffix("remaining") + "reset"


def _reset_seconds(
    value: str | None, headers: Mapping[str, str], now: float | None
) -> float | None:
    if value is None:
        return None
    number = _number(value)
    if number is None:
        duration = duration_seconds(value)
        if duration is not None:
            return duration
        moment = _rfc3339(value)
        return None if moment is None else _awaited(moment - _server_time(headers, now))
    # Gateways give a bare number as a delay, or as a moment in seconds or milliseconds.
    if number >= _EPOCH_MILLISECONDS:
        number /= 1000
    if number >= _EPOCH_SECONDS:
        number -= _server_time(headers, now)
    return _awaited(number)


def _awaited(seconds: float) -> float | None:
    """A wait of so many seconds; None for one that nobody waits for."""
    return None if seconds > _LONGEST_SECONDS else max(0.0, seconds)


def _server_time(headers: Mapping[str, str], now: float | None) -> float:
    date = headers.get("date")
    moment = _http_date(date) if date is not None else None
    if moment is not None:
        return moment
    return time.time() if now is None else now


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and isfinite(number) else None


def _http_date(value: str) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _rfc3339(value: str) -> float | None:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
