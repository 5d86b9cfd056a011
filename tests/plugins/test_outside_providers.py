"""An outside package's wire format is held to what every provider promises."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import replace

import pytest

from auditor.errors import AuthError, EndpointError, RejectedError, TransientError, UsageError
from auditor.providers import (
    Spellings,
    key_variables,
    known_provider,
    open_provider,
    provider_names,
)
from auditor.providers.outside import guarded
from auditor.types import Choice, EndpointConfig, Message, Outcome, RateHints, Reply, Request, Usage
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
    """Gives what it is told, or raises it, or gives nothing for ever."""

    def __init__(self, gives: object = None) -> None:
        self._gives = gives

    async def send(self, _request: Request, *, timeout_seconds: float) -> object:
        if isinstance(self._gives, Exception):
            raise self._gives from ValueError(f"sent with {KEY}")
        return await asyncio.Event().wait() if self._gives is None else self._gives

    async def close(self) -> None:
        raise OSError("already")


@pytest.mark.parametrize("gives", ["text", Reply(choices=())])
async def test_what_is_no_reply_refuses_this_request(gives):
    provider = guarded(Odd(gives), CONFIG, KEY)
    with pytest.raises(RejectedError, match="gave no reply"):
        await provider.send(request(), timeout_seconds=1)
    await provider.close()


class BareError(EndpointError):
    """One whose class has forgotten what every such error holds."""

    def __init__(self) -> None:
        Exception.__init__(self, f"no {KEY}")


@pytest.mark.parametrize(
    "raised",
    [
        RejectedError(f"no {KEY}", code=f"c {KEY}", hint=f"h {KEY}", parameter=KEY, sent={"k": 1}),
        KeyError(KEY),
        BareError(),
    ],
    ids=["refusal", "defect", "bare"],
)
@pytest.mark.parametrize("key", [KEY, f"{KEY}\n"], ids=["key", "line"])
async def test_nothing_of_what_it_raises_holds_the_key(raised, key):
    with pytest.raises(EndpointError) as caught:
        await guarded(Odd(raised), CONFIG, key).send(request(), timeout_seconds=1)
    assert "[hidden]" in caught.value.message
    shown = traceback.format_exception(caught.value)
    assert KEY not in f"{caught.value!s} {caught.value!r} {vars(caught.value)} {shown}"


@pytest.mark.parametrize(
    "odd",
    ["5", float("nan"), float("inf"), 10**400, [5], {"sent": {1, 2}}],
    ids=lambda odd: repr(odd)[:9],
)
async def test_field_of_its_error_that_is_of_another_kind_is_unknown(odd):
    raised = TransientError("no", status=odd, retry_after_seconds=odd, code=odd, sent=odd)
    raised.code = None if isinstance(odd, str) else odd
    with pytest.raises(TransientError) as caught:
        await guarded(Odd(raised), CONFIG, KEY).send(request(), timeout_seconds=1)
    said = caught.value
    assert (said.status, said.retry_after_seconds, said.code, said.sent) == (None,) * 4


DEEP: list[object] = []
for _ in range(200):
    DEEP = [DEEP]
GOOD = Choice(outcome=Outcome.ANSWERED, text="Men")


@pytest.mark.parametrize(
    ("gives", "field"),
    [
        (Reply(choices=(GOOD,), usage=Usage(input_tokens="5")), "usage.input_tokens"),
        (Reply(choices=(GOOD,), usage=Usage(output_tokens=-1)), "usage.output_tokens"),
        (Reply(choices=(GOOD,), usage=Usage(output_tokens=10**30)), "usage.output_tokens"),
        (Reply(choices=(GOOD,), usage={"input_tokens": 5}), "usage"),
        (Reply(choices=(GOOD,), model=5), "model"),
        (Reply(choices=(GOOD,), fingerprint=["fp"]), "fingerprint"),
        (Reply(choices=(GOOD, "Men")), "choices"),
        (Reply(choices="Men"), "choices"),
        (Reply(choices=(GOOD,), status="200"), "status"),
        (Reply(choices=(GOOD,), status=10**30), "status"),
        (Reply(choices=(GOOD,), hints={"reset_seconds": 5}), "hints"),
        (Reply(choices=(GOOD,), hints=RateHints(reset_seconds="5s")), "hints"),
        (Reply(choices=(GOOD,), hints=RateHints(reset_seconds=float("nan"))), "hints"),
        (Reply(choices=(GOOD,), hints=RateHints(reset_seconds=10**400)), "hints"),
        (Reply(choices=(Choice(outcome="answered", text="Men"),)), "outcome"),
        (Reply(choices=(replace(GOOD, text=5),)), "text"),
        (Reply(choices=(replace(GOOD, reasoning={}),)), "reasoning"),
        (Reply(choices=(replace(GOOD, finish_reason=["stop"]),)), "finish_reason"),
        (Reply(choices=(replace(GOOD, logprobs={"content": {1, 2}}),)), "logprobs"),
        (Reply(choices=(replace(GOOD, logprobs=float("nan")),)), "logprobs"),
        (Reply(choices=(replace(GOOD, logprobs={"content": DEEP}),)), "logprobs"),
        (Reply(choices=(GOOD,), sent={"temperature": float("inf")}), "sent"),
    ],
    ids=repr,
)
async def test_reply_that_cannot_be_stored_refuses_this_request_and_names_the_field(gives, field):
    with pytest.raises(RejectedError) as caught:
        await guarded(Odd(gives), CONFIG, KEY).send(request(), timeout_seconds=1)
    assert caught.value.message == (
        f"the adapter of provider coinbox gave a reply whose {field} cannot be stored"
    )


async def test_reply_with_all_fields_comes_through():
    gives = Reply(
        choices=(replace(GOOD, reasoning="hm", finish_reason="stop", logprobs={"content": []}),),
        usage=Usage(input_tokens=0, output_tokens=3),
        model="m",
        fingerprint="fp",
        sent={"temperature": 0.5},
    )
    given = await guarded(Odd(gives), CONFIG, KEY).send(request(), timeout_seconds=1)
    assert given is gives


async def test_one_that_never_answers_may_have_been_billed():
    with pytest.raises(TransientError, match="no answer in -5 s") as caught:
        await guarded(Odd(), CONFIG, KEY).send(request(), timeout_seconds=-5)
    assert caught.value.unknown


def test_what_is_no_adapter_is_refused():
    with pytest.raises(UsageError, match="gave 'int', which has no send and close"):
        guarded(3, CONFIG, KEY)


def test_a_spec_may_name_every_provider_that_is_listed(coin):
    names = set(Spellings())
    assert names == {*provider_names(), "sim", "local", "coinbox", "coinserver"}
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
