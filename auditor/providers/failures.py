"""What a call that brought no response ended with: the same words whichever client made it."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable

import aiohttp

from auditor.errors import AuthError, EndpointError, TransientError
from auditor.providers.proxy import Proxy

_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_CUT_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
"""A handshake that the other side broke off: the next one may succeed."""
_PASSING_ALERTS = ("ALERT_INTERNAL_ERROR", "BAD_RECORD_MAC")
"""What a server in distress says, or bytes that were garbled on the way: no matter of settings."""


def unanswered(
    error: BaseException,
    *,
    place: str,
    scrub: Callable[[str], str],
    timeout_seconds: float,
    proxy: Proxy | None,
) -> EndpointError:
    """The error that aiohttp's, or one that a client raised from it, stands for.

    What no second call can mend (a certificate, TLS asked of who does not speak it, a proxy that
    refuses) is an AuthError: the endpoint stops. `unknown` tells what may have been carried out
    from what was never sent.
    """
    chain = _causes(error)
    cause = next((each for each in chain if isinstance(each, aiohttp.ClientError)), chain[-1])
    words = _words(cause, scrub)
    way = f"{place} through the proxy {proxy.url}" if proxy is not None else place
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        return _refused_by_proxy(cause.status, place, proxy)
    if isinstance(cause, aiohttp.ClientConnectorCertificateError):
        return AuthError(
            f"{way} has no certificate that this machine trusts: {words}",
            hint="is base_url right, and the proxy or certificate store of this machine?",
        )
    if isinstance(cause, aiohttp.ClientConnectorSSLError) and not _is_cut_off(cause):
        return AuthError(
            f"{way} and this machine do not agree on TLS: {words}",
            hint="is base_url right: http:// or https://, and the port?",
        )
    if isinstance(cause, _NOT_SENT):
        return TransientError(f"{way} cannot be reached: {words}")
    if any(isinstance(each, TimeoutError) for each in chain):
        return TransientError(f"{place} gave no answer within {timeout_seconds:g} s", unknown=True)
    return TransientError(f"{place} broke the connection: {words}", unknown=True)


def _refused_by_proxy(status: int, place: str, proxy: Proxy | None) -> EndpointError:
    named = "a proxy" if proxy is None else f"the proxy {proxy.url}"
    said = f"{named} answered {status} when asked for a way to {place}"
    if status == 407:
        return AuthError(
            said, status=status, hint="put user:password@ before the proxy's host in HTTPS_PROXY"
        )
    if 400 <= status < 500 and status not in (408, 429):
        return AuthError(said, status=status, hint="name the host in NO_PROXY, or another proxy")
    return TransientError(said)


def _is_cut_off(error: aiohttp.ClientConnectorSSLError) -> bool:
    cause = error.os_error
    reason = getattr(cause, "reason", None) or ""
    return isinstance(cause, _CUT_OFF) or reason.endswith(_PASSING_ALERTS)


def _words(error: BaseException, scrub: Callable[[str], str]) -> str:
    # Only the operating system's own words: aiohttp's hold the URL or the request.
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(inner, aiohttp.ClientOSError) and inner.errno:
        return os.strerror(inner.errno)
    if isinstance(inner, OSError) and inner.strerror:
        return scrub(inner.strerror)
    return type(inner).__name__


def _causes(error: BaseException) -> list[BaseException]:
    """An error and what it was raised from, the innermost last."""
    chain = [error]
    while True:
        inner = chain[-1].__cause__ or chain[-1].__context__
        if inner is None or inner in chain:
            return chain
        chain.append(inner)
