"""All adapters over both clients, so that every behaviour is tested on each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from auditor.providers import Capabilities, open_provider
from auditor.types import EndpointConfig, Message, Provider, Request
from tests.mock_server import MockServer

KEY = "sk-planted-7Qx93kfLw0Zt"
TRIAL = "0123456789abcdef0123456789abcdef"


@dataclass(frozen=True)
class Route:
    """One wire format through one client."""

    wire: str
    client: str

    def open(
        self,
        base_url: str,
        *,
        key: str | None = KEY,
        profile: Capabilities | None = None,
        **config: Any,
    ) -> Provider:
        """An adapter for the endpoint at a URL."""
        return open_provider(
            EndpointConfig(
                name="mock",
                provider="anthropic" if self.wire == "anthropic" else "openai",
                base_url=base_url,
                client=self.client,
                **{"concurrency": 4, **config},
            ),
            api="completions" if self.wire == "completions" else "chat",
            api_key=key,
            profile=profile,
        )


ROUTES = [
    Route(wire, client)
    for wire in ("openai", "completions", "anthropic")
    for client in ("http", "sdk")
]


def _name(route: Route) -> str:
    return f"{route.wire}-{route.client}"


@pytest.fixture(params=ROUTES, ids=_name)
def route(request: pytest.FixtureRequest) -> Route:
    """Each wire format through each client."""
    return request.param


@pytest.fixture(params=[r for r in ROUTES if r.wire == "openai"], ids=_name)
def chat(request: pytest.FixtureRequest) -> Route:
    """Chat completions through each client."""
    return request.param


@pytest.fixture(params=[r for r in ROUTES if r.wire == "anthropic"], ids=_name)
def claude(request: pytest.FixtureRequest) -> Route:
    """Messages through each client."""
    return request.param


Ask = Callable[..., Any]


@pytest.fixture
async def ask() -> AsyncIterator[Ask]:
    """Sends one request along a route to a mock server and gives the reply.

    The server records what it gets and is at hand as `ask.server`.
    """

    class Asking:
        server: MockServer

        def __init__(self) -> None:
            self.open: list[Any] = []

        @property
        def in_flight(self) -> int:
            """Calls that the server is answering; 0 before there is one."""
            return self.server.in_flight if self.open else 0

        async def __call__(
            self,
            route: Route,
            *,
            profile: Any = "plain",
            known: Capabilities | None = None,
            timeout_seconds: float = 60.0,
            server: dict[str, Any] | None = None,
            **fields: Any,
        ) -> Any:
            self.server = MockServer(profile=profile, record=True, **(server or {}))
            await self.server.start()
            self.open.append(self.server.stop)
            base_url = (
                self.server.anthropic_url if route.wire == "anthropic" else self.server.openai_url
            )
            provider = route.open(base_url, profile=known)
            self.open.append(provider.close)
            return await provider.send(make_request(**fields), timeout_seconds=timeout_seconds)

    asking = Asking()
    yield asking
    for close in reversed(asking.open):
        await close()


def make_request(**fields: Any) -> Request:
    """A request for one trial, with what the test changes."""
    defaults: dict[str, Any] = {
        "model": "mock",
        "messages": (Message("user", "Who is in the kitchen, men or women?"),),
        "request_id": f"{TRIAL}.1",
    }
    return Request(**{**defaults, **fields})


@pytest.fixture
def a_request() -> Callable[..., Request]:
    """Builder of requests."""
    return make_request
