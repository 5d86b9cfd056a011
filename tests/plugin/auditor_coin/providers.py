"""A wire format of one's own, and a server that speaks one of the built-in ones."""

from __future__ import annotations

from auditor.errors import AuthError
from auditor.providers import Capabilities, KnownProvider
from auditor.types import Choice, EndpointConfig, Outcome, Reply, Request, Usage


class CoinBox:
    """Answers at once, without a network: a man to every even number of letters."""

    def __init__(self, config: EndpointConfig, api_key: str | None) -> None:
        self._name = config.name
        self._key = api_key

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        if self._key == "refused":
            raise AuthError(f"{self._name} refuses the key", status=401)
        if request.model == "bug":
            raise KeyError(f"with {self._key} in it")
        letters = len(request.messages[-1].content)
        text = "A woman." if letters % 2 else "A man."
        choice = Choice(outcome=Outcome.ANSWERED, text=text, finish_reason="stop")
        return Reply(
            choices=(choice,) * request.choices,
            usage=Usage(input_tokens=letters, output_tokens=2),
            model=request.model,
            sent={"model": request.model, **request.params},
        )

    async def close(self) -> None:
        pass


def open_coinbox(
    config: EndpointConfig, *, api: str, api_key: str | None, profile: Capabilities | None
) -> CoinBox:
    return CoinBox(config, api_key)


COINBOX = KnownProvider(
    name="coinbox", wire="coinbox", api_key_env="COINBOX_KEY", adapter=open_coinbox
)
COINSERVER = KnownProvider(
    name="coinserver", base_url="http://127.0.0.1:9/v1", api_key_env="COINSERVER_KEY"
)
