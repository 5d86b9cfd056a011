"""An outside package's wire format is held to what every provider promises."""

from __future__ import annotations

import asyncio

import pytest

from auditor.errors import AuthError, RejectedError, TransientError, UsageError
from auditor.providers import (
    Spellings,
    key_variables,
    known_provider,
    open_provider,
    provider_names,
)
from auditor.providers.outside import guarded
from auditor.types import EndpointConfig, Message, Reply, Request
from tests.cli.driving import auditor, contents, rows

KEY = "coin-key-0123456789"
CONFIG = EndpointConfig(name="box", provider="coinbox")
SPEC = """name = "s"
{top}
[[targets]]
name = "boxed"
model = "{model}"
[protocols.coin]
repetitions = 2
"""


def request(model: str = "m") -> Request:
    return Request(model=model, messages=(Message("user", "1234"),), request_id="a.1")


async def test_its_adapter_answers_as_any_provider(coin):
    provider = open_provider(CONFIG, api_key=KEY)
    reply = await provider.send(request(), timeout_seconds=1)
    assert reply.choices[0].text == "A man."
    await provider.close()


async def test_its_errors_come_through_without_the_key(coin):
    provider = open_provider(CONFIG, api_key="refused")
    with pytest.raises(AuthError, match="box refuses the key") as caught:
        await provider.send(request(), timeout_seconds=1)
    assert caught.value.status == 401
    with pytest.raises(RejectedError) as rejected:
        await open_provider(CONFIG, api_key=KEY).send(request("bug"), timeout_seconds=1)
    assert "the adapter of provider coinbox: KeyError" in rejected.value.message
    assert KEY not in rejected.value.message


class Odd:
    """Gives what it is told, or nothing for ever."""

    def __init__(self, gives: object = None) -> None:
        self._gives = gives

    async def send(self, _request: Request, *, timeout_seconds: float) -> object:
        return await asyncio.Event().wait() if self._gives is None else self._gives

    async def close(self) -> None:
        raise OSError("already")


@pytest.mark.parametrize("gives", ["text", Reply(choices=())])
async def test_what_is_no_reply_refuses_this_request(gives):
    provider = guarded(Odd(gives), CONFIG, KEY)
    with pytest.raises(RejectedError, match="gave no reply"):
        await provider.send(request(), timeout_seconds=1)
    await provider.close()


async def test_one_that_never_answers_may_have_been_billed():
    with pytest.raises(TransientError, match="no answer in -5 s") as caught:
        await guarded(Odd(), CONFIG, KEY).send(request(), timeout_seconds=-5)
    assert caught.value.unknown


def test_what_is_no_adapter_is_refused():
    with pytest.raises(UsageError, match="gave 'int', which has no send and close"):
        guarded(3, CONFIG, KEY)


def test_a_spec_may_name_every_provider_that_is_listed(coin):
    names = set(Spellings())
    assert names == {*provider_names(), "sim", "coinbox", "coinserver"}
    assert key_variables(["coinbox", "coinserver", "sim", "ollama"]) == {
        "coinbox": "COINBOX_KEY",
        "coinserver": "COINSERVER_KEY",
    }
    assert known_provider("coinserver").wire == "openai"


def test_its_key_is_asked_for_where_it_is_used_and_reaches_no_store(coin, tmp_path, monkeypatch):
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.format(top="", model="coinbox:one"))
    monkeypatch.delenv("COINBOX_KEY", raising=False)
    monkeypatch.delenv("COINSERVER_KEY", raising=False)
    for command in ("run", "doctor"):
        refused = auditor(command, spec)
        assert refused.code == 2
        assert f"{spec}:5: targets[0].model: the environment variable COINBOX_KEY" in refused.err
    monkeypatch.setenv("COINBOX_KEY", KEY)
    ran = auditor("run", spec, "--json")
    assert ran.code == 0, ran.err
    assert ran.data["responses"] == 4
    assert ran.data["simulated"] is False
    assert ran.data["calls"] == 4 + 1, "one plain question is all that it is asked first"
    assert not any(KEY.encode() in body for body in contents(tmp_path / "s.db").values())
    assert {text for (text,) in rows(tmp_path / "s.db", "SELECT DISTINCT model FROM calls")} == {
        "one"
    }
