"""Providers of outside packages: what such an entry point has to give, and taking it up.

The entry point's name is the provider's name; its object is a `KnownProvider` of that name. With
`wire` "openai" or "anthropic" that row is all there is to it. With `adapter` it brings a wire
format of its own::

    def open_mine(config, *, api, api_key, profile):
        return Mine(...)  # an auditor.types.Provider: send(request, *, timeout_seconds), close()

    ROW = KnownProvider(name="mine", wire="mine", base_url="https://...", api_key_env="MINE_KEY",
                        adapter=open_mine)

A model judge asks for JSON by the request's `schema`; an adapter that cannot pass it on leaves it
out, and the answer is checked all the same. The adapter sends one request once and raises
subclasses of EndpointError, never anything else; limits, retries, budget and the store are the
program's. It keeps its key out of every message.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from auditor.errors import EndpointError, RejectedError, TransientError, UsageError
from auditor.plugins import Plugin, described
from auditor.providers.address import Scrubber
from auditor.providers.known import WIRES, KnownProvider
from auditor.providers.reply_fields import made_fit, unfit_field
from auditor.types import EndpointConfig, Provider, Reply, Request

_GRACE_SECONDS = 5.0
"""For an adapter to notice itself that its time is up."""


def taken_up(plugin: Plugin) -> KnownProvider:
    """The row of a plug-in. Raises UsageError that names it, and what is wrong with it."""
    row = plugin.load()
    if not isinstance(row, KnownProvider):
        raise plugin.refused(f"{plugin.place} is no auditor.providers.KnownProvider")
    if row.name != plugin.name:
        raise plugin.refused(f"name is {row.name!r}, its entry point {plugin.name!r}")
    for member in ("wire", "base_url", "api_key_env"):
        value = getattr(row, member)
        if value is not None and not isinstance(value, str):
            raise plugin.refused(f"{member} is no text")
    if row.adapter is None and row.wire not in WIRES:
        allowed = ", ".join(f'"{wire}"' for wire in WIRES)
        raise plugin.refused(f"wire is {row.wire!r}; allowed without an adapter: {allowed}")
    if row.adapter is not None and not callable(row.adapter):
        raise plugin.refused("adapter is not a function")
    return row


class Guarded:
    """An outside package's adapter, held to what every provider promises.

    Whatever it raises that is no EndpointError, and whatever it gives that is no Reply, refuses
    this one request for good; a call without an answer in its time may have been carried out.
    """

    def __init__(self, adapter: Provider, *, name: str, api_key: str | None) -> None:
        self._adapter = adapter
        self._name = name
        self._scrub = Scrubber(api_key)

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        """Send one request once. Raises a subclass of EndpointError."""
        failure: EndpointError
        try:
            async with asyncio.timeout(timeout_seconds + _GRACE_SECONDS):
                reply = await self._adapter.send(request, timeout_seconds=timeout_seconds)
            return self._checked(reply)
        except EndpointError as error:
            failure = made_fit(error, self._scrub)
        except TimeoutError:
            said = f"provider {self._name}: no answer in {timeout_seconds:g} s"
            failure = TransientError(said, unknown=True)
        except Exception as error:
            said = self._scrub(f"the adapter of provider {self._name}: {described(error)}")
            failure = RejectedError(said)
        # Raised outside the handlers: what an adapter raised may hold its request, hence the key.
        raise failure

    def _checked(self, reply: object) -> Reply:
        if not isinstance(reply, Reply) or not reply.choices:
            raise RejectedError(f"the adapter of provider {self._name} gave no reply")
        field = unfit_field(reply)
        if field is not None:
            raise RejectedError(
                f"the adapter of provider {self._name} gave a reply whose {field} cannot be stored"
            )
        return reply

    async def close(self) -> None:
        """Give its connections back. An error of the adapter in doing so is nobody's loss."""
        with suppress(Exception):
            await self._adapter.close()


def guarded(made: object, config: EndpointConfig, api_key: str | None) -> Provider:
    """What an adapter's function gave. Raises UsageError where it is no provider."""
    if callable(getattr(made, "send", None)) and callable(getattr(made, "close", None)):
        adapter: Provider = made  # type: ignore[assignment]
        return Guarded(adapter, name=config.provider, api_key=api_key)
    raise UsageError(
        f"the adapter of provider {config.provider!r} gave {type(made).__name__!r}, which has no"
        " send and close",
        where=f"endpoints.{config.name}",
    )
