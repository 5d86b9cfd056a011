"""The proxy that the environment names for an endpoint."""

from __future__ import annotations

import ipaddress
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from auditor.errors import UsageError
from auditor.providers.address import Address, parse_address

_HEADER = "Proxy-Authorization"


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """A proxy on the way to one endpoint. Its repr holds no login."""

    url: str
    """Without the login."""
    request_headers: dict[str, str] = field(default_factory=dict, repr=False)
    """What calls to the endpoint bear for the proxy, which reads them: plain HTTP."""
    tunnel_headers: dict[str, str] = field(default_factory=dict, repr=False)
    """What the request for a tunnel bears, through which the calls go unread: HTTPS."""
    secrets: tuple[str, ...] = field(default=(), repr=False)


def environment_proxy(address: Address) -> Proxy | None:
    """The proxy by HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, unless NO_PROXY exempts the host.

    NO_PROXY holds hosts, endings of hosts and networks ("10.0.0.0/8"), or "*". This machine itself
    is never asked for through a proxy, which would ask its own machine. Raises UsageError, without
    the login, for a proxy of another kind than HTTP.
    """
    parts = urlsplit(address.base)
    host = parts.hostname or ""
    if is_this_machine(host):
        return None
    named = urllib.request.getproxies()
    variable = parts.scheme if named.get(parts.scheme) else "all"
    url = named.get(variable)
    if not url or _is_exempt(host, parts.netloc, named.get("no", "")):
        return None
    try:
        place = parse_address(url if "://" in url else f"http://{url}")
    except UsageError:
        raise UsageError(
            f"{variable.upper()}_PROXY in the environment names no HTTP proxy",
            where=f"{variable.upper()}_PROXY",
            hint='a proxy looks like "http://user:password@host:3128"; SOCKS is not spoken',
        ) from None
    login = {} if place.authorization is None else {_HEADER: place.authorization}
    is_tunnel = parts.scheme == "https"
    return Proxy(
        url=place.base,
        request_headers={} if is_tunnel else login,
        tunnel_headers=login if is_tunnel else {},
        secrets=place.secrets,
    )


def is_this_machine(host: str) -> bool:
    """Whether a host is the loopback one, by name or number."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    number = _number(host)
    return number is not None and number.is_loopback


def _is_exempt(host: str, netloc: str, exempt: str) -> bool:
    number = _number(host)
    networks = (_network(name.strip()) for name in exempt.split(","))
    if number is not None and any(network and number in network for network in networks):
        return True
    return bool(urllib.request.proxy_bypass(netloc))


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _network(name: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(name, strict=False) if "/" in name else None
    except ValueError:
        return None
