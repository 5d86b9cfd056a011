"""A proxy that leads every host to one server, and notes what it was asked for."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request to the proxy."""

    method: str
    """CONNECT where a tunnel was asked for."""
    target: str
    headers: dict[str, str]
    """By their names in lower case."""

    @property
    def login(self) -> str | None:
        """user:password, or None where none was given."""
        kind, _, token = self.headers.get("proxy-authorization", "").partition(" ")
        return base64.b64decode(token).decode() if kind == "Basic" else None


class MockProxy:
    """Listens at 127.0.0.1; an async context manager.

    Attributes:
        asked: what it was asked for, in order.
        status: answer this to everything, in place of leading on.
        login: "user:password" that it demands, or None.
    """

    def __init__(self, leads_to: str, *, login: str | None = None, status: int | None = None):
        parts = urlsplit(leads_to)
        self._host, self._port = parts.hostname, parts.port
        self.login = login
        self.status = status
        self.asked: list[Asked] = []
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> MockProxy:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Stop listening and break what is open."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Cancelled where the proxy stops: nobody waits for this any more.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            asked = _asked(head)
            self.asked.append(asked)
            refused = 407 if self.login not in (None, asked.login) else self.status
            if refused is not None:
                writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % refused)
            else:
                await self._lead(asked, head, reader, writer)
        writer.close()

    async def _lead(
        self,
        asked: Asked,
        head: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        there_reader, there = await asyncio.open_connection(self._host, self._port)
        if asked.method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            # To be asked once a connection, so that each request is seen.
            there.write(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        away = asyncio.create_task(_pass_on(reader, there))
        try:
            await _pass_on(there_reader, writer)
        finally:
            away.cancel()
            there.close()


async def _pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while part := await source.read(65536):
            sink.write(part)
            await sink.drain()


def _asked(head: bytes) -> Asked:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(": ") for line in lines if line)
    headers = {name.lower(): value for name, _, value in pairs}
    return Asked(method=method, target=target, headers=headers)
