"""The proxy of the environment: who goes through it, what it is shown, and what it refuses."""

import pytest

from auditor.errors import AuthError, EndpointError, TransientError, UsageError
from auditor.providers import open_transport
from auditor.providers.address import parse_address
from auditor.providers.proxy import environment_proxy
from auditor.types import EndpointConfig
from tests.mock_server import MockServer
from tests.mock_server.proxy import MockProxy

KEY = "sk-planted-7Qx93kfLw0Zt"
LOGIN = "me:pw-planted-81"
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def proxy_of(url):
    found = environment_proxy(parse_address(url))
    return None if found is None else found.url


def test_each_scheme_has_its_variable_and_all_proxy_stands_in(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://secure:1")
    monkeypatch.setenv("ALL_PROXY", "any:2")
    assert proxy_of("https://api.openai.com/v1") == "http://secure:1"
    assert proxy_of("http://plain.example/v1") == "http://any:2"


@pytest.mark.parametrize(
    ("exempt", "url", "is_exempt"),
    [
        ("internal.example", "https://internal.example/v1", True),
        ("internal.example", "https://a.internal.example/v1", True),
        (".internal.example", "https://a.internal.example:8000/v1", True),
        ("internal.example", "https://notinternal.example/v1", False),
        ("other.example, internal.example", "https://internal.example/v1", True),
        ("*", "https://api.openai.com/v1", True),
        ("10.0.0.0/8", "http://10.1.2.3:8000/v1", True),
        ("10.0.0.0/8", "http://11.1.2.3:8000/v1", False),
        ("10.1.2.3", "http://10.1.2.3/v1", True),
        ("fd00::/8", "http://[fd00::7]:8000/v1", True),
        ("nonsense/nonsense", "https://api.openai.com/v1", False),
    ],
)
def test_no_proxy_exempts_hosts_endings_and_networks(monkeypatch, exempt, url, is_exempt):
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", exempt)
    assert (proxy_of(url) is None) is is_exempt


@pytest.mark.parametrize("host", ["127.0.0.1:11434", "127.1.2.3", "localhost:8000", "[::1]:8080"])
def test_this_machine_is_not_asked_through_a_proxy(monkeypatch, host):
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert proxy_of(f"http://{host}/v1") is None


@pytest.mark.parametrize("url", ["socks5://me:pw-planted-81@127.0.0.1:1080", "http://me:pw@"])
def test_proxy_that_speaks_no_http_is_refused_before_anything_is_sent(monkeypatch, url):
    monkeypatch.setenv("https_proxy", url)
    with pytest.raises(UsageError, match="HTTPS_PROXY") as caught:
        open_transport(EndpointConfig(name="mine", provider="openai"), api_key=KEY)
    assert "planted" not in str(caught.value)
    assert caught.value.where == "HTTPS_PROXY"


def test_login_is_not_in_the_repr(monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://{LOGIN}@proxy:3128")
    assert "planted" not in repr(environment_proxy(parse_address("https://api.openai.com/v1")))


async def test_plain_calls_go_through_it_with_its_login_and_the_key_apart(
    route, a_request, monkeypatch
):
    async with (
        MockServer(record=True, key=KEY) as server,
        MockProxy(server.url, login=LOGIN) as via,
    ):
        monkeypatch.setenv("http_proxy", via.url.replace("//", f"//{LOGIN}@"))
        provider = route.open("http://model.invalid/v1")
        replies = [await provider.send(a_request(), timeout_seconds=60) for _ in range(2)]
        await provider.close()
    assert [reply.status for reply in replies] == [200, 200]
    assert [asked.method for asked in via.asked] == ["POST", "POST"]
    assert all(asked.target.startswith("http://model.invalid/v1/") for asked in via.asked)
    assert len(server.requests) == 2


async def test_the_request_for_a_tunnel_shows_the_login_and_never_the_key(
    route, a_request, monkeypatch
):
    async with MockProxy("http://127.0.0.1:9", status=502) as via:
        monkeypatch.setenv("https_proxy", via.url.replace("//", f"//{LOGIN}@"))
        provider = route.open("https://model.invalid/v1")
        with pytest.raises(TransientError, match="answered 502") as caught:
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    (asked,) = via.asked
    assert (asked.method, asked.target, asked.login) == ("CONNECT", "model.invalid:443", LOGIN)
    assert KEY not in str(asked.headers)
    assert not {"authorization", "x-api-key", "api-key"} & set(asked.headers)
    # No tunnel, no call: nothing can have been billed.
    assert not caught.value.unknown


@pytest.mark.parametrize(("status", "hint"), [(407, "HTTPS_PROXY"), (403, "NO_PROXY")])
async def test_tunnel_that_is_refused_stops_the_endpoint(
    route, a_request, monkeypatch, status, hint
):
    async with MockProxy("http://127.0.0.1:9", status=status) as via:
        monkeypatch.setenv("https_proxy", via.url.replace("//", f"//{LOGIN}@"))
        provider = route.open("https://model.invalid/v1")
        with pytest.raises(AuthError) as caught:
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    assert caught.value.message.startswith(f"the proxy {via.url} answered {status}")
    assert hint in caught.value.hint
    assert "planted" not in str(caught.value)


async def test_missing_login_of_a_plain_call_is_not_taken_for_a_wrong_key(
    route, a_request, monkeypatch
):
    async with MockProxy("http://127.0.0.1:9", login=LOGIN) as via:
        monkeypatch.setenv("http_proxy", via.url)
        provider = route.open("http://model.invalid/v1")
        with pytest.raises(AuthError) as caught:
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    assert (caught.value.status, len(via.asked)) == (407, 1)
    assert "HTTP_PROXY" in caught.value.hint


async def test_proxy_that_is_not_there_is_named_without_its_login(route, a_request, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://{LOGIN}@127.0.0.1:9")
    provider = route.open("http://model.invalid/v1")
    with pytest.raises(EndpointError) as caught:
        await provider.send(a_request(), timeout_seconds=60)
    await provider.close()
    assert "through the proxy http://127.0.0.1:9 cannot be reached" in caught.value.message
    assert "planted" not in repr(vars(caught.value))
