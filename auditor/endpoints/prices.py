"""What calls cost: the spec's price, else genai-prices' list, else unknown; never a guess."""

from __future__ import annotations

from importlib.metadata import version
from urllib.parse import urlsplit

from auditor.types import JSON, EndpointConfig, Price, Usage

_LOCAL = frozenset({"ollama", "vllm", "lmstudio", "llamacpp"})
_LISTED_AS = {"openai-chat": "openai"}
_UNIT_TOKENS = 1000
_LONG_INPUT_TOKENS = 30_000
"""The list's lowest long-context tier begins at 32,000 tokens of input."""


class Prices:
    """Prices of the models of one endpoint.

    The price of a million tokens is looked up once a model, at its lowest tier; a call with more
    than 30,000 input tokens is priced on its own, because long contexts cost more on some models
    (a price from the spec has no tiers). At an own base URL only the vendor that the list knows
    under that URL counts: a gateway or a server of one's own is unknown, whatever its models are
    called. `sim:` and `local:` cost nothing unless the spec gives a price.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._units: dict[str, Price | None] = {}

    def unit(self, model: str) -> Price | None:
        """US dollars for a million tokens of a model, or None if unknown."""
        if model not in self._units:
            self._units[model] = self._look_up(model)
        return self._units[model]

    def cost_usd(self, model: str, usage: Usage) -> float | None:
        """What a call cost, or None where price or usage is unknown."""
        price = self.unit(model)
        if price is None:
            return None
        if price.input == price.output == 0:
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        if usage.input_tokens > _LONG_INPUT_TOKENS and self._is_listed:
            parts = self._listed(model, usage.input_tokens, usage.output_tokens)
            return None if parts is None else parts[0] + parts[1]
        return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6

    def price_record(self) -> dict[str, JSON]:
        """Prices asked for so far and where they come from, for the run's own record."""
        return {
            "source": self._source(),
            "usd_per_million_tokens": {
                model: None if price is None else {"input": price.input, "output": price.output}
                for model, price in sorted(self._units.items())
            },
        }

    @property
    def _is_listed(self) -> bool:
        config = self._config
        is_paid = config.provider not in _LOCAL and not config.is_in_process
        return config.price is None and is_paid and not _is_this_machine(config.base_url)

    def _source(self) -> str | None:
        if self._config.price is not None:
            return "spec"
        if self._config.provider == "sim":
            return "simulated"
        if self._config.is_in_process:
            return "in process"
        return f"genai-prices {version('genai-prices')}" if self._is_listed else None

    def _look_up(self, model: str) -> Price | None:
        if self._config.price is not None:
            return self._config.price
        if self._config.is_in_process:
            return Price(input=0.0, output=0.0)
        parts = self._listed(model, _UNIT_TOKENS, _UNIT_TOKENS) if self._is_listed else None
        if parts is None:
            return None
        per_million = 1e6 / _UNIT_TOKENS
        return Price(input=parts[0] * per_million, output=parts[1] * per_million)

    def _listed(self, model: str, inputs: int, outputs: int) -> tuple[float, float] | None:
        from genai_prices import Usage as ListUsage
        from genai_prices import calc_price

        usage = ListUsage(input_tokens=inputs, output_tokens=outputs)
        url, provider = self._config.base_url, self._config.provider
        try:
            if url is not None:
                price = calc_price(usage, model_ref=model, provider_api_url=url)
            else:
                listed_as = _LISTED_AS.get(provider, provider)
                price = calc_price(usage, model_ref=model, provider_id=listed_as)
        except LookupError:
            return None
        return float(price.input_price), float(price.output_price)


def _is_this_machine(base_url: str | None) -> bool:
    """Whether a URL names the loopback host, which is no vendor's: the list is not loaded for it.

    A URL that cannot be read names nobody; whoever opens it says what is wrong with it.
    """
    from auditor.providers.proxy import is_this_machine

    try:
        host = urlsplit(base_url or "").hostname or ""
    except ValueError:
        return False
    return is_this_machine(host)
