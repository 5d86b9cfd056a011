"""How a response fails: by its status, amid its body, or by what stands in it."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterator
from email.utils import formatdate
from functools import lru_cache
from itertools import repeat
from typing import Any

from aiohttp import web

from tests.mock_server.faults import STATUSES, fault_body
from tests.mock_server.quirks import PAGE, Raw, raw_json

_JSON = {"Content-Type": "application/json"}
_HUGE_BYTES = 40 * 2**20
_BOMB_BYTES = 128 * 2**20
_SERVERS_TIME = 1_546_300_800
"""Years away from this machine's clock, which the client must not ask."""


def failing(fault: str, wire: str) -> Raw:
    """A response whose status is the fault."""
    status = STATUSES[fault]
    headers = {}
    if fault in ("429", "503"):
        headers = {"Retry_After": "1"}
    elif fault == "429-date":
        later = formatdate(_SERVERS_TIME + 1, usegmt=True)
        headers = {"Date": formatdate(_SERVERS_TIME, usegmt=True), "Retry_After": later}
    return raw_json(status, fault_body(status, wire), **headers)


async def broken(request: web.BaseRequest, fault: str, payload: Any) -> web.StreamResponse:
    """A response that fails in another way than by its status."""
    if fault == "hang":
        await asyncio.Event().wait()
    if fault in ("reset", "close"):
        return await _cut_off(request, fault, json.dumps(payload).encode())
    if fault == "drip":
        return await _stream(request, repeat(b" "), seconds=0.02)
    if fault == "huge":
        return await _stream(request, repeat(b" " * 2**20, _HUGE_BYTES // 2**20))
    if fault == "bomb":
        return web.Response(body=_bomb(), headers={**_JSON, "Content-Encoding": "gzip"})
    if fault in ("html", "html-502"):
        status = 502 if fault == "html-502" else 200
        return web.Response(status=status, body=PAGE, content_type="text/html")
    return web.Response(body=_content(fault, payload), headers=_JSON)


def _content(fault: str, payload: Any) -> bytes:
    """A whole body that holds no answer."""
    content = json.dumps(payload).encode()
    if fault == "garbled":
        return b"\x00\x01" + content
    if fault == "cut":
        return content[: len(content) // 2]
    if fault == "no-choices":
        name = "content" if "content" in payload else "choices"
        return json.dumps({**payload, name: None if name == "content" else []}).encode()
    return {"array": b"[1, 2]", "number": b"42", "string": b'"Men"'}[fault]


async def _cut_off(request: web.BaseRequest, fault: str, content: bytes) -> web.StreamResponse:
    """A connection that breaks amid the body, or before it."""
    response = web.StreamResponse(headers={**_JSON, "Content-Length": str(len(content))})
    if fault == "reset":
        await response.prepare(request)
        await response.write(content[: len(content) // 2])
    if request.transport is not None:
        request.transport.abort()
    return response


async def _stream(
    request: web.BaseRequest, parts: Iterator[bytes], *, seconds: float = 0.0
) -> web.StreamResponse:
    """A body in parts, for as long as somebody reads it."""
    response = web.StreamResponse(headers=_JSON)
    await response.prepare(request)
    try:
        for part in parts:
            await response.write(part)
            await asyncio.sleep(seconds)
    except OSError:  # the reader has gone
        pass
    return response


@lru_cache(maxsize=1)
def _bomb() -> bytes:
    packer = zlib.compressobj(wbits=31)
    mebibyte = b" " * 2**20
    parts = [packer.compress(mebibyte) for _ in range(_BOMB_BYTES // 2**20)]
    return b"".join([*parts, packer.flush()])
