"""Which providers there are, and what opening one refuses."""

import subprocess
import sys

import pytest

from auditor.errors import UsageError
from auditor.providers import (
    base_url_of,
    known_provider,
    open_provider,
    open_transport,
    provider_names,
    providers_table,
)
from auditor.providers.address import parse_address
from auditor.types import EndpointConfig

LOCAL = {"ollama", "vllm", "lmstudio", "llamacpp"}


def config(**fields):
    return EndpointConfig(**{"name": "mine", "provider": "openai", **fields})


@pytest.mark.parametrize("name", provider_names())
async def test_every_provider_opens_with_a_key_and_closes(name):
    base_url = "https://x.example/openai/v1" if name == "azure" else None
    provider = open_provider(config(provider=name, base_url=base_url), api_key="k-1234567")
    await provider.close()


@pytest.mark.parametrize("row", providers_table(), ids=lambda row: row["name"])
def test_every_row_is_complete(row):
    assert row["wire"] == ("anthropic" if row["name"] == "anthropic" else "openai")
    assert (row["api_key_env"] is None) == (row["name"] in LOCAL)
    if row["base_url"] is None:
        assert row["name"] == "azure"
    else:
        assert parse_address(row["base_url"]).base == row["base_url"]
        is_local = row["base_url"].startswith("http://127.0.0.1")
        assert is_local == (row["name"] in LOCAL)


def test_openai_chat_is_openai():
    first, second = known_provider("openai"), known_provider("openai-chat")
    assert (first.base_url, first.api_key_env) == (second.base_url, second.api_key_env)


def test_unknown_provider_lists_the_known_ones():
    with pytest.raises(UsageError) as caught:
        known_provider("opnai")
    assert "'opnai'" in caught.value.message
    assert all(name in caught.value.hint for name in provider_names())


@pytest.mark.parametrize(
    ("fields", "options", "where"),
    [
        ({"provider": "azure"}, {"api_key": "k"}, "endpoints.mine.base_url"),
        ({}, {"api_key": None}, "endpoints.mine.api_key_env"),
        ({"client": "curl"}, {"api_key": "k"}, "endpoints.mine.client"),
    ],
)
def test_opening_refuses_what_cannot_work(fields, options, where):
    with pytest.raises(UsageError) as caught:
        open_transport(config(**fields), **options)
    assert caught.value.where == where


def test_missing_key_names_the_variable():
    with pytest.raises(UsageError) as caught:
        open_transport(config(api_key_env="MY_KEY"), api_key=None)
    assert "MY_KEY" in caught.value.hint


@pytest.mark.parametrize(("provider", "api"), [("anthropic", "completions"), ("openai", "batch")])
def test_api_that_the_format_does_not_have_is_refused(provider, api):
    with pytest.raises(UsageError, match=api):
        open_provider(config(provider=provider), api=api, api_key="k")


def test_base_url_of_the_endpoint_wins():
    assert base_url_of(config(base_url="http://h/v1")) == "http://h/v1"
    assert base_url_of(config(provider="groq")) == "https://api.groq.com/openai/v1"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "max_completion_tokens"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, "max_tokens"),
        ({"provider": "groq"}, "max_tokens"),
    ],
)
def test_cap_has_its_later_name_at_openai_alone(fields, name, a_request):
    provider = open_provider(config(**fields), api_key="k")
    assert provider.body(a_request(params={"max_tokens": 4}))[name] == 4


@pytest.mark.parametrize(
    "base_url",
    ["http://h", "http://h/", "http://h/v1", "http://h/v1/", "http://h/v1/messages"],
)
def test_anthropic_base_url_may_hold_the_version_or_not(base_url):
    provider = open_provider(config(provider="anthropic", base_url=base_url), api_key="k")
    assert provider.transport.place == "http://h"


def test_wire_path_in_a_base_url_is_cut_off():
    assert parse_address("http://h/v1/chat/completions").base == "http://h/v1"


def test_importing_the_registry_loads_no_heavy_library():
    heavy = ("aiohttp", "openai", "anthropic", "httpx2", "pydantic")
    script = (
        "import sys, auditor.providers as p; p.providers_table();"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
