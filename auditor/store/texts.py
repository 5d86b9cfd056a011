"""Texts as a store holds them: UTF-8, and what UTF-8 has no place for as bytes."""

from __future__ import annotations


def stored_text(text: str) -> str | bytes:
    """A text as it is stored: SQLite holds one with lone surrogates only as bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def without_surrogates(text: str | None) -> str | None:
    """A short text of an endpoint (an error, a name), lone surrogates made visible."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def read_text(stored: str | bytes | None) -> str | None:
    """A stored text as it came, lone surrogates included."""
    if isinstance(stored, bytes):
        return stored.decode("utf-8", "surrogatepass")
    return stored
