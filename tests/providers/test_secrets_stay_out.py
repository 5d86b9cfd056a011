"""No key and no login of a URL reaches an error or a repr, whatever goes wrong."""

import asyncio
import json
import traceback

import pytest

from auditor.errors import EndpointError, UsageError
from auditor.providers import open_transport
from auditor.providers.address import Scrubber, parse_address
from auditor.types import EndpointConfig
from tests.mock_server import Faults, MockServer, Quirk, Raw, raw_json
from tests.passing_time import let_pass, until

KEY = "sk-planted-7Qx93kfLw0Zt"
LOGIN = "hunter2-planted-pw"
QUERY = "q-planted-token-55"


def all_texts(error):
    """Everything that printing, logging or storing an error could show."""
    seen = []
    while error is not None:
        seen += [str(error), repr(error), repr(error.args), repr(vars(error))]
        seen += traceback.format_exception(error)
        error = error.__cause__ or error.__context__
    return "\n".join(seen)


def echoing(body, wire):
    # An endpoint that repeats whatever it got.
    text = f"bad key {KEY} at https://user:{LOGIN}@host/?api_key={QUERY} Bearer {KEY}"
    return raw_json(400, {"error": {"message": text, "code": KEY}})


def echoing_page(body, wire):
    return Raw(status=200, content=f"<html><title>{KEY}</title>".encode())


def echoing_text(body, wire):
    return Raw(status=200, content=f"not json {KEY}".encode())


FAILURES = {
    "echoed": {"profile": Quirk(respond=echoing)},
    "page": {"profile": Quirk(respond=echoing_page)},
    "text": {"profile": Quirk(respond=echoing_text)},
    "key refused": {"key": "sk-another-key-entirely"},
    "reset": {"faults": Faults(script={1: "reset"})},
    "close": {"faults": Faults(script={1: "close"})},
    "hang": {"faults": Faults(script={1: "hang"})},
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
async def test_error_over_the_wire_holds_no_secret(route, a_request, failure):
    async with MockServer(record=True, **failure) as server:
        root = (
            server.url.replace("//", f"//user:{LOGIN}@")
            if route.wire == "anthropic"
            else server.openai_url
        )
        provider = route.open(f"{root}?api_key={QUERY}", key=KEY)
        call = asyncio.ensure_future(provider.send(a_request(), timeout_seconds=60))
        await until(lambda: server.requests)
        if failure is FAILURES["hang"]:
            let_pass(61)  # aiohttp waits until a whole second
        with pytest.raises(EndpointError) as caught:
            await call
        await provider.close()
        received = server.requests[-1]
    # The secrets were really in use.
    assert KEY in str(dict(received.headers))
    assert QUERY in received.path
    shown = all_texts(caught.value)
    for secret in (KEY, LOGIN, QUERY):
        assert secret not in shown


async def test_refused_connection_holds_no_secret(route, a_request):
    provider = route.open(f"http://127.0.0.1:9/?api_key={QUERY}", key=KEY)
    with pytest.raises(EndpointError) as caught:
        await provider.send(a_request(), timeout_seconds=60)
    await provider.close()
    shown = all_texts(caught.value)
    assert KEY not in shown
    assert QUERY not in shown


def test_what_is_sent_is_told_without_headers(route, a_request):
    provider = route.open("http://127.0.0.1:9/v1", key=KEY)
    assert KEY not in json.dumps(provider.body(a_request()))
    assert KEY not in repr(provider)
    assert KEY not in repr(provider.transport)


def test_key_cut_off_at_the_end_of_a_long_message_leaves_no_half():
    from auditor.providers.classification import classify

    message = "x" * 390 + KEY
    body = json.dumps({"error": {"message": message}}).encode()
    error = classify(500, {}, body, place="mock", scrub=Scrubber(KEY))
    assert "planted" not in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-********3f2a.",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "sent Authorization: Bearer eyJhbGciOi.J9",
        "proxy http://me:secret99@proxy:3128 failed",
        "gsk_abcdefghijkl",
    ],
)
def test_what_has_the_shape_of_a_key_goes_even_if_it_is_not_ours(text):
    scrubbed = Scrubber()(text)
    assert "[hidden]" in scrubbed
    for part in ("3f2a", "AIza", "eyJ", "secret99", "abcdefghijkl"):
        assert part not in scrubbed


def test_secret_goes_in_its_url_encoded_form_too():
    assert Scrubber("a/b+c=d")("?key=a%2Fb%2Bc%3Dd") == "?key=[hidden]"


def test_ordinary_words_stay():
    text = "The model `mock-1` is overloaded; ask-later at task-force."
    assert Scrubber(KEY)(text) == text


def test_address_shows_neither_login_nor_query():
    address = parse_address(f"https://user:{LOGIN}@host.example:8443/v1/?api_key={QUERY}")
    assert address.shown == "https://host.example:8443/v1"
    assert LOGIN not in repr(address)
    assert QUERY not in repr(address)
    assert address.url("/x") == f"https://host.example:8443/v1/x?api_key={QUERY}"
    assert set(address.secrets) >= {LOGIN, QUERY}


@pytest.mark.parametrize(
    "url", [f"ftp://user:{LOGIN}@host", f"http://user:{LOGIN}@", "host/v1", "http://h:x"]
)
def test_broken_base_url_is_a_usage_error_without_its_login(url):
    with pytest.raises(UsageError) as caught:
        parse_address(url)
    assert LOGIN not in str(caught.value)


def test_key_beside_a_login_is_refused_without_showing_either():
    config = EndpointConfig(
        name="mine", provider="openai", base_url=f"http://user:{LOGIN}@127.0.0.1/v1"
    )
    with pytest.raises(UsageError) as caught:
        open_transport(config, api_key=KEY)
    assert LOGIN not in all_texts(caught.value)
    assert KEY not in all_texts(caught.value)


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
async def test_what_the_environment_holds_for_a_vendor_goes_to_no_other_server(
    route, a_request, monkeypatch, key
):
    for name in ("ORG_ID", "PROJECT_ID", "API_KEY", "ADMIN_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", f"env-planted-{name}")
    for name in ("API_KEY", "AUTH_TOKEN"):
        monkeypatch.setenv(f"ANTHROPIC_{name}", f"env-planted-{name}")
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_CUSTOM_HEADERS", "X-Gateway: env-planted-gateway")
    async with MockServer(record=True) as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        provider = route.open(root, key=key)
        await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
        sent = str(dict(server.requests[-1].headers))
    assert "env-planted" not in sent
    assert key is None or key in sent


async def test_login_in_the_base_url_is_sent_as_basic(chat, a_request):
    async with MockServer(record=True) as server:
        provider = chat.open(server.openai_url.replace("//", "//me:pw%2F1@"), key=None)
        await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
        # base64 of "me:pw/1" by coreutils.
        assert server.requests[-1].headers["Authorization"] == "Basic bWU6cHcvMQ=="
