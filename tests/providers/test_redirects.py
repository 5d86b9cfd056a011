"""A server that points elsewhere gets no further than this: the key goes nowhere else."""

import pytest

from auditor.errors import AuthError
from auditor.providers.classification import classify
from tests.mock_server import MockServer, Quirk, Raw


def leading(status, location):
    raw = Raw(status=status, content=b"", headers={"Location": location})
    return Quirk(respond=lambda body, wire: raw)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_other_host_sees_neither_call_nor_key(route, a_request, status):
    async with MockServer(record=True) as other:
        target = other.url.replace("//", "//user:pw-planted@") + "/v1/messages?api_key=planted"
        async with MockServer(profile=leading(status, target), record=True) as server:
            provider = route.open(server.url)
            with pytest.raises(AuthError) as caught:
                await provider.send(a_request(), timeout_seconds=60)
            await provider.close()
            assert len(server.requests) == 1
        assert not other.statuses
    assert caught.value.message.endswith(
        f"answered {status}: not followed to {other.url}/v1/messages"
    )
    assert "base_url" in caught.value.hint
    assert "planted" not in str(vars(caught.value))


@pytest.mark.parametrize("status", [301, 307])
async def test_path_of_the_same_host_is_not_asked_either(route, a_request, status):
    async with MockServer(profile=leading(status, "/elsewhere"), record=True) as server:
        provider = route.open(server.url)
        with pytest.raises(AuthError, match="not followed to /elsewhere"):
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
        assert len(server.requests) == 1


def test_other_errors_point_nowhere():
    error = classify(503, {"location": "/status"}, b"", place="mock", scrub=str, now=0.0)
    assert error.message == "mock answered 503: no reason given"


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://[", "no reason given"),
        ("", "no reason given"),
        ("?key=planted", "no reason given"),
        ("//me:planted@host/a\x1b[31m\u202e", "not followed to //host/a [31m"),
    ],
)
def test_target_is_shown_as_far_as_it_can_be_read(location, said):
    error = classify(
        302, {"location": location}, b"", place="mock", scrub=lambda text: text, now=0.0
    )
    assert error.message == f"mock answered 302: {said}"
