"""Bodies and headers that try to hang, to fill or to confuse whoever reads them."""

import json
import time

import pytest

from auditor.errors import EndpointError, RateError, TransientError, UsageError
from auditor.providers import open_provider, open_transport
from auditor.providers.address import Scrubber, parse_address
from auditor.providers.classification import classify
from auditor.providers.headers import duration_seconds, rate_hints, retry_after_seconds
from auditor.providers.transport import decode_body
from auditor.types import EndpointConfig
from tests.mock_server import MockServer

KEY = "sk-planted-7Qx93kfLw0Zt"
LONG = 1_000_000
QUICK_SECONDS = 2.0
"""Of CPU time; a reading whose time grows with the square of a body takes minutes at the least."""


def error_of(body, status=400, headers=None):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify(status, headers or {}, content, place="mock", scrub=Scrubber(KEY))


@pytest.mark.parametrize("code", ["²", "٤٢٩", "9" * 5000, 10**4000, True, 1.5, ["x"], {"a": 1}])
def test_a_code_of_any_kind_is_no_status_and_no_failure(code):
    error = error_of({"error": {"message": "no", "code": code}})
    assert error.status == 400
    assert "no" in error.message
    assert len(error.code or "") <= 400


def test_a_long_code_with_the_key_in_it_is_cut_after_the_key_has_gone():
    error = error_of(
        {"error": {"message": "no", "code": "x" * 390 + KEY, "param": KEY + "y" * 500}}
    )
    for said in (error.code, error.parameter, error.hint, error.message):
        assert "planted" not in (said or "")
        assert len(said or "") <= 500


@pytest.mark.parametrize("status", [400, 429])
@pytest.mark.parametrize(
    "body",
    [
        ("<html>" + "<title>" * (LONG // 7)).encode(),
        json.dumps("<html>" + "<title>" * (LONG // 7)).encode(),
        {"error": {"message": "model " * (LONG // 6)}},
        {"error": {"message": "a_" * (LONG // 2)}},
        {"error": {"message": "deployment" * (LONG // 10)}},
        {"error": {"message": "retrydelay " + "1" * LONG}},
        {"error": {"message": "no", "param": "x" * LONG, "code": "y" * LONG}},
        {"detail": [{"loc": ["body"] * 100, "msg": "z" * 1000}] * 200},
    ],
    ids=["page", "page in json", "model", "name", "deployment", "delay", "fields", "detail"],
)
def test_a_long_error_is_read_in_a_moment(body, status):
    begun = time.process_time()
    error = error_of(body, status)
    assert time.process_time() - begun < QUICK_SECONDS
    assert len(error.message) < 500


def test_a_duration_of_thousands_of_digits_is_none_and_takes_no_time():
    begun = time.process_time()
    assert duration_seconds("1" * 60_000) is None
    assert duration_seconds("9" * 400 + "s") is None
    assert time.process_time() - begun < QUICK_SECONDS
    assert duration_seconds("1h30m") == 5400.0


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 30 Nov 2026 12:00:00 +99999999999999999999",
        "Mon, 30 Nov 99999 12:00:00 GMT",
        *("1e999", "nan", "-inf", "²", "", ",", "9" * 400 + "s"),
    ],
)
def test_a_time_to_come_back_that_is_none_is_unknown(value):
    assert retry_after_seconds({"retry-after": value}) is None
    hints = rate_hints({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": value})
    assert hints.reset_seconds is None


def test_an_allowance_beyond_any_fits_a_store():
    hints = rate_hints({"x-ratelimit-remaining-requests": "1e308"})
    assert hints.remaining_requests < 2**63


@pytest.mark.parametrize("levels", [101, 500, 900, 100_000])
def test_a_body_too_deep_to_be_kept_is_none(levels):
    body = b'{"choices": ' + b"[" * levels + b"]" * levels + b"}"
    with pytest.raises((ValueError, RecursionError)):
        decode_body(body)
    assert isinstance(error_of(body, 500), TransientError)
    assert isinstance(error_of(b'{"error": ' + body + b"}", 429), RateError)


def test_a_body_of_many_values_on_few_levels_is_one():
    body = {"choices": [{"top": [{"a": n}]} for n in range(500)]}
    assert decode_body(json.dumps(body).encode()) == body


@pytest.mark.parametrize("client", ["http", "sdk"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "key", ["sk-planted\nX: y", "sk-planted\x00", "sk-plantéd", "sk-\udcff", " "]
)
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(client, provider, key):
    config = EndpointConfig(
        name="mine", provider=provider, base_url="http://127.0.0.1:9", client=client
    )
    with pytest.raises(UsageError, match="no printable ASCII character") as caught:
        open_transport(config, api_key=key)
    assert "planted" not in str(caught.value)
    assert caught.value.where == "endpoints.mine.api_key_env"


async def test_the_line_end_behind_a_key_is_no_part_of_it(a_request):
    async with MockServer(key=KEY) as server:
        config = EndpointConfig(name="mine", provider="openai", base_url=server.openai_url)
        provider = open_provider(config, api_key=f" {KEY}\r\n")
        assert (await provider.send(a_request(), timeout_seconds=60)).choices
        await provider.close()


SECRET = 'sk-pl/nt+d&"<\\é7Qx93kf'


@pytest.mark.parametrize(
    "spelling",
    [
        'sk-pl/nt+d&"<\\é7Qx93kf',
        # By the rules of RFC 3986, RFC 8259, HTML and RFC 4648, written out by hand or coreutils.
        "sk-pl%2Fnt%2Bd%26%22%3C%5C%C3%A97Qx93kf",
        "sk-pl%2fnt%2bd%26%22%3c%5c%c3%a97Qx93kf",
        r"sk-pl/nt+d&\"<\\é7Qx93kf",
        r"sk-pl/nt+d&\"<\\\u00e97Qx93kf",
        r"sk-pl\/nt+d&\"<\\é7Qx93kf",
        "sk-pl/nt+d&amp;&quot;&lt;\\é7Qx93kf",
    ],
)
def test_a_secret_goes_however_it_is_spelt(spelling):
    said = Scrubber(SECRET)(f"before {spelling} after")
    assert said == "before [hidden] after"


@pytest.mark.parametrize(
    "coded",
    [
        # base64 of the key alone, of "u:KEY", "us:KEY" and "use:KEY!", by coreutils.
        "c2stcGxhbnRlZC03UXg5M2tmTHcwWnQ=",
        "dTpzay1wbGFudGVkLTdReDkza2ZMdzBadA==",
        "dXM6c2stcGxhbnRlZC03UXg5M2tmTHcwWnQ=",
        "dXNlOnNrLXBsYW50ZWQtN1F4OTNrZkx3MFp0IQ==",
    ],
)
def test_a_secret_goes_within_base64_too(coded):
    said = Scrubber(KEY)(f"Basic {coded}")
    assert "[hidden]" in said
    # What is left stands for no more than the ends of the key and what was around it.
    assert len(said.replace("[hidden]", "")) <= len("Basic ") + 12


def test_ordinary_texts_are_no_secret_in_base64():
    text = "aGVsbG8gd29ybGQsIHRoaXMgaXMgbm90aGluZw=="
    assert Scrubber(KEY, "abcd", "12345")(text) == text


def test_an_endpoint_error_is_what_a_hostile_body_becomes():
    for body in (b"", b"\xff\xfe", b"null", b"[]", b'"x"', b"5", b"{}", b'{"error": null}'):
        error = error_of(body)
        assert isinstance(error, EndpointError)
        assert error.message


@pytest.mark.parametrize("host", ["127.0= x", "a b", "a<b>", 'a"b', "a|b", "a^b"])
def test_a_host_of_signs_that_no_host_has_is_refused(host):
    with pytest.raises(UsageError, match="is not a URL"):
        parse_address(f"http://{host}/v1")


def test_hosts_of_every_kind_are_taken():
    for host in ("127.0.0.1:8080", "[::1]:1", "localhost", "münchen.example", "my_host", "a-b.c"):
        assert parse_address(f"http://{host}/v1").base == f"http://{host}/v1"
