"""Options of commands that call a model which no spec names, and what they make of its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.types import JSON

ENDPOINT = "endpoint of a model"

BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", help="Another server.", rich_help_panel=ENDPOINT)
]
ApiKeyEnvOption = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        metavar="NAME",
        help="Environment variable of the key.",
        rich_help_panel=ENDPOINT,
    ),
]
ConcurrencyOption = Annotated[
    int | None, typer.Option("--concurrency", help="Calls at once.", rich_help_panel=ENDPOINT)
]
RpmOption = Annotated[
    float | None, typer.Option("--rpm", help="Calls a minute.", rich_help_panel=ENDPOINT)
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        "--price",
        metavar="INPUT,OUTPUT",
        help="US dollars for a million tokens, where the price list does not know them.",
        rich_help_panel=ENDPOINT,
    ),
]


def endpoint_settings(
    *,
    base_url: str | None,
    api_key_env: str | None,
    concurrency: int | None,
    rpm: float | None,
    price: str | None,
) -> dict[str, JSON]:
    """The keys of an endpoint's table that were given.

    Raises UsageError for a price that is none.
    """
    settings = {
        "base_url": base_url,
        "api_key_env": api_key_env,
        "concurrency": concurrency,
        "requests_per_minute": rpm,
        "price": None if price is None else _price(price),
    }
    return {key: value for key, value in settings.items() if value is not None}


def _price(text: str) -> Mapping[str, JSON]:
    parts = text.split(",")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != 2 or any(not 0 <= number < float("inf") for number in numbers):
        raise UsageError(
            f"--price: value {text!r}; allowed: INPUT,OUTPUT, US dollars for a million tokens"
        )
    return {"input": numbers[0], "output": numbers[1]}
