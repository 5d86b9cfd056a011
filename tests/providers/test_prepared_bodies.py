"""A body is made once for the repetitions of a cell, and never serves another request."""

from auditor.providers.openai_chat import OpenAIChat
from auditor.providers.transport import Answer, encode_body
from auditor.types import Message

ANSWER = b'{"choices": [{"message": {"content": "Men"}, "finish_reason": "stop"}]}'


class Recording:
    """A transport that keeps what it is given."""

    place = "nowhere"

    def __init__(self):
        self.bodies = []
        self.encoded = []

    async def post(self, path, body, *, request_id, timeout_seconds):
        self.bodies.append(body)
        self.encoded.append(encode_body(body))
        return Answer(200, {}, ANSWER)


async def test_requests_of_one_cell_share_one_encoded_body(a_request):
    transport = Recording()
    adapter = OpenAIChat(transport)
    asked = {"messages": (Message("user", "Who?"),), "params": {"temperature": 1.0}}
    asked["extra_body"] = {"top_k": 5}
    for repetition in range(3):
        await adapter.send(a_request(request_id=f"{repetition}.1", **asked), timeout_seconds=1)
    first, *others = transport.encoded
    assert all(body is first for body in others)
    assert first == (
        b'{"model":"mock","messages":[{"role":"user","content":"Who?"}],'
        b'"temperature":1.0,"top_k":5}'
    )


async def test_every_part_of_a_request_that_differs_makes_another_body(a_request):
    transport = Recording()
    adapter = OpenAIChat(transport)
    asked = {
        "model": "mock",
        "messages": (Message("user", "Who?"),),
        "params": {"temperature": 1.0},
        "extra_body": {},
        "choices": 1,
        "schema": None,
    }
    changes = (
        {"model": "other"},
        {"messages": (Message("user", "Whom?"),)},
        {"params": {"temperature": 1.0, "seed": 7}},
        {"extra_body": {"top_k": 5}},
        {"choices": 2},
        {"schema": {"type": "object"}},
    )
    for change in changes:
        await adapter.send(a_request(**asked), timeout_seconds=1)
        await adapter.send(a_request(**{**asked, **change}), timeout_seconds=1)
    plain, changed = transport.encoded[0::2], transport.encoded[1::2]
    assert len(set(plain)) == 1
    assert len({*plain, *changed}) == 1 + len(changes)


async def test_a_reply_names_what_its_own_request_sent(a_request):
    adapter = OpenAIChat(Recording())
    for seed in (1, 2, 1):
        request = a_request(params={"seed": seed})
        reply = await adapter.send(request, timeout_seconds=1)
        assert reply.sent == {"model": "mock", "seed": seed}
