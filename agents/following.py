"""Waiting for the first of several things."""

from __future__ import annotations

import asyncio


async def first_of(*events: asyncio.Event) -> None:
    """Return as soon as one of these events is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
