"""A base URL taken apart: what may be shown, what is sent, and what is secret in it."""

from __future__ import annotations

import base64
import html
import json
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlencode, urlsplit, urlunsplit

from auditor.errors import UsageError

_SECRET_QUERY = re.compile(r"key|token|secret|sig|pass|code|auth", re.IGNORECASE)
_SECRET_SHAPES = re.compile(
    # Keys as vendors mint them, masked ones too: some endpoints echo "sk-ab***yz" back.
    r"\b(?:sk|pk|rk|gsk|xai|nvapi|hf|pplx|AIza)[-_][\w*.-]{6,}"
    r"|\bAIza[\w-]{20,}"
    r"|(?<=Bearer )[\w.~+/=*-]{6,}"
    r"|(?<=://)[^/\s@]+(?=@)"
)
_SECRET_FIELD = re.compile(
    r"([?&][\w-]{0,30}(?:key|token|secret|sig|pass|auth)[\w-]{0,30}=)[^&\s\"'<>]{4,}", re.IGNORECASE
)
"""In a URL that a message quotes, be it another's."""
_HOST = re.compile(r"[\w.:%~-]+")
"""Of a name or an address; other signs are cut off or refused by one client or the other."""
_HIDDEN = "[hidden]"
_SHORTEST_SECRET = 4
_SHORTEST_CODED = 8
_PERCENT = re.compile("%[0-9A-F]{2}")
_WIRE_PATHS = ("/chat/completions", "/completions", "/v1/messages", "/messages")


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where an endpoint is. Its repr and `shown` hold no secret."""

    base: str
    """Scheme, host, port and path, without credentials, query or closing slash."""
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Query of the base URL, sent with every call (Azure's api-version)."""
    authorization: str | None = field(default=None, repr=False)
    """HTTP Basic header made from user:password in the URL, or None."""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def shown(self) -> str:
        """The address as messages name it."""
        return self.base

    def url(self, path: str) -> str:
        """The full URL of a wire path, with the base URL's query."""
        return self.base + path + ("?" + urlencode(self.query) if self.query else "")


def parse_address(base_url: str) -> Address:
    """Takes a base URL apart. Raises UsageError, without the URL's secrets, if it is none.

    A wire path at the end ("/chat/completions") is cut off: adapters add their own.
    """
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host or not _HOST.fullmatch(host):
        raise UsageError(
            f"base_url {_without_secrets(base_url)!r} is not a URL",
            hint='a base URL looks like "https://host/v1" or "http://127.0.0.1:11434/v1"',
        )
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    path = parts.path.rstrip("/")
    for wire_path in _WIRE_PATHS:
        if path.endswith(wire_path):
            path = path.removesuffix(wire_path)
            break
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    secrets = [value for name, value in query if _SECRET_QUERY.search(name)]
    authorization = None
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        authorization = f"Basic {token}"
        secrets += [password or user, token]
    return Address(
        base=urlunsplit((parts.scheme, netloc, path, "", "")),
        query=query,
        authorization=authorization,
        secrets=tuple(secrets),
    )


def _spellings(secret: str) -> set[str]:
    """A secret as it came, and as URLs, JSON, HTML and Base64 write it."""
    found = {secret, html.escape(secret), repr(secret)[1:-1]}
    for is_ascii in (True, False):
        written = json.dumps(secret, ensure_ascii=is_ascii)[1:-1]
        found |= {written, written.replace("/", r"\/")}
    raw = secret.encode("utf-8", "surrogatepass")
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        found |= {quoted, _PERCENT.sub(lambda digits: digits[0].lower(), quoted)}
    return found | _in_base64(raw)


def _in_base64(secret: bytes) -> set[str]:
    """What Base64 makes of a secret within anything else, at each place of its groups of three.

    Only the signs that depend on the secret alone; none for one too short to be told apart.
    """
    found = set()
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + secret)
        kept = coded[-(-before * 4 // 3) : (before + len(secret)) * 4 // 3].decode("ascii")
        if len(kept) >= _SHORTEST_CODED:
            found |= {kept, kept.replace("+", "-").replace("/", "_")}
    return found


class Scrubber:
    """Takes known secrets, and whatever has the shape of a key, out of a text.

    A secret goes in every spelling in which servers are known to give it back: as it is, escaped
    for URLs, JSON or HTML, and within Base64.
    """

    def __init__(self, *secrets: str | None) -> None:
        spellings: set[str] = set()
        for each in secrets:
            # A key is sent, and given back, without the line end that its file has.
            secret = (each or "").strip()
            if len(secret) >= _SHORTEST_SECRET:
                spellings |= _spellings(secret)
        # The longest first, so that no part of one is left when another lies inside it.
        ordered = sorted(spellings, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def __call__(self, text: str) -> str:
        """The text with every secret replaced."""
        if self._known is not None:
            text = self._known.sub(_HIDDEN, text)
        return _SECRET_SHAPES.sub(_HIDDEN, _SECRET_FIELD.sub(rf"\1{_HIDDEN}", text))


def _without_secrets(url: str) -> str:
    # Of a broken URL, whatever stands before an @ or after a ? may be a secret.
    return url.rpartition("@")[2].partition("?")[0]
