"""From what an endpoint answered to the error class whose policy fits it.

========================================================  ==================  =================
answer                                                    class               then
========================================================  ==================  =================
401, 403, 407                                             AuthError           endpoint stops
404, 405, 3xx without a word about the model              AuthError           endpoint stops
402; 429 or 4xx that says the account is used up          QuotaError          endpoint stops
404, 400, 403 about the model                             UnknownModelError   target stops
400, 403 from a content filter                            ContentError        outcome filtered
429                                                       RateError           endpoint pauses
408, 409, 425, 498, 499, 5xx, 529                         TransientError      retried
other 4xx                                                 RejectedError       never retried
200 with an error inside                                  by its code         as above
200 that is HTML, no JSON, or holds no choices            TransientError      retried
========================================================  ==================  =================

A wrong path or a redirect is filed under AuthError because its policy is the right one: no
call to this endpoint can succeed until a person changes its configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit, urlunsplit

from auditor.errors import (
    AuthError,
    ContentError,
    EndpointError,
    QuotaError,
    RateError,
    RejectedError,
    TransientError,
    UnknownModelError,
)
from auditor.providers.error_body import ErrorBody, one_line, parse_error_body
from auditor.providers.headers import duration_seconds, retry_after_seconds
from auditor.providers.rejections import rejected_parameter, rejection_hint

_TRANSIENT_STATUSES = frozenset({408, 409, 425, 498, 499})
_GATEWAY_TIMEOUTS = frozenset({504, 524})
"""A gateway gave up waiting: the model behind it may have answered, and billed."""

_QUOTA = re.compile(
    r"insufficient[_ ](?:user[_ ])?(?:quota|balance|credits?|funds)"
    r"|billing_(?:error|hard_limit|not_active)|credit balance is too low|exceeded_current_quota"
    r"|arrearage|out of credits|used all available credits|account is not active"
    r"|payment required|spending limit"
    # A daily allowance comes back tomorrow: no pause of seconds helps.
    r"|per[ _-]?day|\b[rt]pd\b|daily (?:limit|quota)|free-models-per-day"
)
_CONTENT = re.compile(
    r"content_?filter|responsibleaipolicyviolation|content_policy_violation"
    r"|content management policy|data_?inspection_?failed|content exists risk"
    r"|blocked by content filtering|flagged as potentially violating|requires moderation"
    r"|moderation_blocked|safety system|prohibited_content"
)
_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|invalid_model|model[_ ]not[_ ]exist|unknown model"
    # "model", then what is wrong with it, within one sentence.
    r"|\bmodel\b(?:(?!\. ).){0,160}(?:not found|not exist|doesn't exist|not available"
    r"|not supported for|no longer available|not a valid)"
    r"|(?:invalid|no such|not a valid) model\b|models/\S+ is not found"
    r"|deployment[^.]{0,80}does not exist|no endpoints found|does not have access to model"
    r"|not_found_error.{0,40}\bmodel:"
)
_AUTH = re.compile(
    r"invalid_?(?:api_?)?key|incorrect api key|authentication_error|api_?key_?invalid"
    r"|invalid x-api-key|api key not valid|unauthorized|permission_error|permission_denied"
    r"|invalid_authentication"
)
_RATE = re.compile(r"rate_?limit|resource_?exhausted|too_?many_?requests|throttl")
_OVERLOAD = re.compile(r"overloaded|unavailable|server_error|internal|timeout|capacity")
_TRY_AGAIN = re.compile(
    r"(?:try again in|retrydelay\W+|retry after)\s*([\d.]+(?:ms|[smhd])[\d.smhd]*)"
)


def classify(
    status: int,
    headers: Mapping[str, str],
    content: bytes,
    *,
    place: str,
    scrub: Callable[[str], str],
    now: float | None = None,
) -> EndpointError:
    """The error that a response with an HTTP error status is.

    `place` names the endpoint in the message; `scrub` takes secrets out of it; `now` is used
    for Retry-After dates where the response has no Date header.
    """
    return classify_body(
        status, headers, parse_error_body(content), place=place, scrub=scrub, now=now
    )


def classify_body(
    status: int,
    headers: Mapping[str, str],
    body: ErrorBody,
    *,
    place: str,
    scrub: Callable[[str], str],
    now: float | None = None,
) -> EndpointError:
    """The same for a body already read; a status of 200 stands for an error under a 200."""
    meant = body.status or status if status < 300 else status
    # Scrubbed before it is cut, so that no half of a key is left at the end.
    target = _target(headers, scrub) if 300 <= meant < 400 else None
    said = one_line(scrub(body.message)) or target or "no reason given"
    under = f" inside a {status}" if meant != status else ""
    message = f"{place} answered {meant}{under}: {said}"
    code = one_line(scrub(body.code)) if body.code else None
    kind = _kind(meant, body)
    wait = retry_after_seconds(headers, now=now)
    if wait is None and kind in (RateError, QuotaError, TransientError):
        wait = _wait_in_words(body)
    if kind is RejectedError:
        named = rejected_parameter(body)
        parameter = one_line(scrub(named)) if named else None
        return RejectedError(
            message, status=meant, code=code, parameter=parameter, hint=rejection_hint(parameter)
        )
    return kind(
        message,
        status=meant,
        code=code,
        retry_after_seconds=wait,
        unknown=kind is TransientError and meant in _GATEWAY_TIMEOUTS,
        hint=_hint(kind, meant, body),
    )


def _kind(status: int, body: ErrorBody) -> type[EndpointError]:
    if status < 300:
        return _kind_by_words(body.words)
    if status >= 500 or status in _TRANSIENT_STATUSES:
        return TransientError
    if status == 429:
        return QuotaError if _QUOTA.search(body.words) else RateError
    if status == 402:
        return QuotaError
    if status in (401, 407):
        return AuthError
    return _kind_of_refusal(status, body)


def _kind_of_refusal(status: int, body: ErrorBody) -> type[EndpointError]:
    """What a 3xx, 400, 403, 404 or another 4xx is, by what it says."""
    words = body.words
    if _CONTENT.search(words):
        return ContentError
    names_model = body.parameter in (None, "model") and _MODEL.search(words)
    if status in (400, 403, 404, 422) and names_model:
        return UnknownModelError
    if status in (400, 403) and _QUOTA.search(words):
        return QuotaError
    if status in (403, 404, 405) or status < 400 or _AUTH.search(words):
        return AuthError
    return RejectedError


def _kind_by_words(words: str) -> type[EndpointError]:
    """What an error without any status is."""
    table: tuple[tuple[re.Pattern[str], type[EndpointError]], ...] = (
        (_QUOTA, QuotaError),
        (_CONTENT, ContentError),
        (_RATE, RateError),
        (_AUTH, AuthError),
        (_MODEL, UnknownModelError),
        (_OVERLOAD, TransientError),
    )
    for pattern, kind in table:
        if pattern.search(words):
            return kind
    return RejectedError if "invalid_request" in words else TransientError


def _wait_in_words(body: ErrorBody) -> float | None:
    found = _TRY_AGAIN.search(body.words)
    return duration_seconds(found.group(1).rstrip(".")) if found else None


def _target(headers: Mapping[str, str], scrub: Callable[[str], str]) -> str | None:
    """Where a redirect leads: without login and query, which may hold secrets."""
    try:
        parts = urlsplit(headers.get("location", ""))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return None
    shown = one_line(scrub(urlunsplit((parts.scheme, host, parts.path, "", ""))))
    return f"not followed to {shown}" if shown else None


def _hint(kind: type[EndpointError], status: int, body: ErrorBody) -> str | None:
    if kind is AuthError and (status in (404, 405) or 300 <= status < 400 or body.is_markup):
        return "is base_url right, with its version (/v1) and without the wire path?"
    if kind is AuthError and status == 407:
        return "put the proxy's login into HTTP_PROXY: http://user:password@host:port"
    if kind is AuthError:
        return "is the key in the endpoint's api_key_env the right one, with the needed rights?"
    if kind is UnknownModelError:
        return "is the model spelled as the endpoint spells it?"
    return None
